#pragma once
#include <optional>
#include <string>

#include "calibrate/measure/cuda/libraries/cublaslt.h"
#include "calibrate/measure/cuda/libraries/nccl.h"

namespace servecast {

/// A library that only some targets need: looked for once, when the first of them comes up.
template <class Library>
class Wanted {
 public:
  /// Null where it is missing.
  Library* get() {
    if (!asked_) open();
    return library_ ? &*library_ : nullptr;
  }
  /// Why there is none; empty where there is one or it was not asked for.
  const std::string& missing() const { return missing_; }
  /// Null where it is missing or was never asked for.
  const Library* opened() const { return library_ ? &*library_ : nullptr; }

 private:
  void open() {
    asked_ = true;
    try {
      library_.emplace();
    } catch (const DeviceError& error) {
      missing_ = error.what();
    }
  }
  bool asked_ = false;
  std::optional<Library> library_;
  std::string missing_;
};

struct Libraries {
  Wanted<CublasLt> cublaslt{};
  Wanted<Nccl> nccl{};
};

}  // namespace servecast
