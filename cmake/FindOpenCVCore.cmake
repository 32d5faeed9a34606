# Finds OpenCV's core library: by OpenCV's own package, else by its files, because Debian's libopencv-core-dev has no CMake
# package, and libopencv-dev, which has it, depends on all of OpenCV. Also sets OpenCVCore_CUDA, whether this OpenCV was built with CUDA.
find_package(OpenCV QUIET CONFIG COMPONENTS core)
if(TARGET opencv_core)
  get_target_property(OpenCVCore_INCLUDE_DIR opencv_core INTERFACE_INCLUDE_DIRECTORIES)
  list(GET OpenCVCore_INCLUDE_DIR 0 OpenCVCore_INCLUDE_DIR)
  set(OpenCVCore_LIBRARY opencv_core)
  set(OpenCVCore_VERSION ${OpenCV_VERSION})
else()
  find_path(OpenCVCore_INCLUDE_DIR opencv2/core.hpp PATH_SUFFIXES opencv4 opencv5)
  find_library(OpenCVCore_LIBRARY NAMES opencv_core)
  mark_as_advanced(OpenCVCore_INCLUDE_DIR OpenCVCore_LIBRARY)
  if(OpenCVCore_INCLUDE_DIR)
    foreach(part MAJOR MINOR REVISION)
      file(STRINGS ${OpenCVCore_INCLUDE_DIR}/opencv2/core/version.hpp OpenCVCore_${part}
        REGEX "^#define CV_VERSION_${part} +[0-9]+")
      string(REGEX REPLACE ".*_${part} +([0-9]+).*" "\\1" OpenCVCore_${part} "${OpenCVCore_${part}}")
    endforeach()
    set(OpenCVCore_VERSION ${OpenCVCore_MAJOR}.${OpenCVCore_MINOR}.${OpenCVCore_REVISION})
  endif()
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(OpenCVCore
  REQUIRED_VARS OpenCVCore_LIBRARY OpenCVCore_INCLUDE_DIR VERSION_VAR OpenCVCore_VERSION)

if(OpenCVCore_FOUND)
  # OpenCV needs this module to be built with CUDA.
  file(STRINGS ${OpenCVCore_INCLUDE_DIR}/opencv2/opencv_modules.hpp OpenCVCore_CUDA REGEX "^#define HAVE_OPENCV_CUDEV")
  if(OpenCVCore_CUDA)
    set(OpenCVCore_CUDA TRUE)
  else()
    set(OpenCVCore_CUDA FALSE)
  endif()
  if(NOT TARGET OpenCVCore::OpenCVCore)
    add_library(OpenCVCore::OpenCVCore INTERFACE IMPORTED)
    set_target_properties(OpenCVCore::OpenCVCore PROPERTIES
      INTERFACE_LINK_LIBRARIES ${OpenCVCore_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${OpenCVCore_INCLUDE_DIR})
  endif()
endif()
