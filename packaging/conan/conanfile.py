"""Conan 2: the kernels for images in memory, qturn::kernels. See packaging/README.md."""

import os
import re

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")


class QturnConan(ConanFile):
    name = "qturn"
    license = "Apache-2.0"
    description = "The eight orientations of an image, at the speed of a copy"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False], "cuda": [True, False]}
    default_options = {"shared": False, "cuda": False}

    def set_version(self):
        self.version = re.search(r"project\(qturn VERSION ([0-9.]+)", load(self, os.path.join(ROOT, "CMakeLists.txt")))[1]

    def export_sources(self):
        for pattern in ("CMakeLists.txt", "LICENSE", "cmake/*", "kernels/*"):
            copy(self, pattern, ROOT, self.export_sources_folder)

    def layout(self):
        cmake_layout(self)

    def validate(self):
        check_min_cppstd(self, 20)

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables.update(
            {"QTURN_TOOLS": False, "QTURN_TESTS": False, "QTURN_OPENCV": False, "QTURN_CUDA": bool(self.options.cuda)}
        )
        toolchain.generate()
        CMakeDeps(self).generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        CMake(self).install(component="kernels")

    def package_info(self):
        # The package has its own configuration for CMake, with qturn::kernels.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs.append(os.path.join("lib", "cmake", "qturn"))
