// Libraries of the CUDA toolkit that not every machine has, opened when the program runs.
#pragma once

#include <dlfcn.h>

#include <cstdlib>
#include <string>

namespace qturn::bench {

/// Kept open to the end of the program; false if there is none.
class ToolkitLibrary {
 public:
  explicit ToolkitLibrary(const std::string& name) {
    const char* home = std::getenv("CUDA_HOME");
    const std::string toolkit = home ? home : "/usr/local/cuda";
    for (const std::string& folder : {std::string(), toolkit + "/lib64/", toolkit + "/lib/"}) {
      for (const char* version : {".13", ".12", ".11"}) {
        if (!handle_) handle_ = dlopen((folder + name + ".so" + version).c_str(), RTLD_NOW);
      }
    }
  }

  explicit operator bool() const { return handle_ != nullptr; }

  template <class Function>
  Function* find(const std::string& symbol) const {
    return handle_ ? reinterpret_cast<Function*>(dlsym(handle_, symbol.c_str())) : nullptr;
  }

 private:
  void* handle_ = nullptr;
};

}  // namespace qturn::bench
