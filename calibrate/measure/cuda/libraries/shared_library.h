#pragma once
#include <dlfcn.h>

#include <string>

#include "calibrate/measure/gpu_bench.h"

namespace servecast {

/// A library that is opened when it is needed, and never closed.
class SharedLibrary {
 public:
  /// Throws DeviceError, saying what for.
  SharedLibrary(const std::string& name, const std::string& purpose) : name_(name) {
    handle_ = dlopen(name.c_str(), RTLD_NOW);
    if (handle_ == nullptr)
      throw DeviceError(name + " was not found, and without it there is no " + purpose +
                        "; add the folder that has it to LD_LIBRARY_PATH");
  }
  template <class Function>
  Function function(const char* name) const {
    void* address = dlsym(handle_, name);
    if (address == nullptr)
      throw DeviceError(name_ + " has no " + name + "; is it older than the CUDA of this build?");
    return reinterpret_cast<Function>(address);
  }

 private:
  std::string name_;
  void* handle_ = nullptr;
};

}  // namespace servecast
