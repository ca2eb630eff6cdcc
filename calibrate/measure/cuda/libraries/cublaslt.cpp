#include "calibrate/measure/cuda/libraries/cublaslt.h"

#include <fmt/format.h>

namespace servecast {

CublasLt::CublasLt()
    : library_(fmt::format("libcublasLt.so.{}", CUBLAS_VER_MAJOR), "library product to compare with") {
  check(load<decltype(&cublasLtCreate)>("cublasLtCreate")(&handle_), "to start");
}

CublasLt::~CublasLt() { load<decltype(&cublasLtDestroy)>("cublasLtDestroy")(handle_); }

/// As its headers write it: 130101 is 13.1.1.
std::string CublasLt::version() const {
  const std::size_t number = load<decltype(&cublasLtGetVersion)>("cublasLtGetVersion")();
  return fmt::format("{}.{}.{}", number / 10000, number / 100 % 100, number % 100);
}

void CublasLt::check(cublasStatus_t status, const char* what) {
  if (status != CUBLAS_STATUS_SUCCESS)
    throw DeviceError(fmt::format("cuBLASLt refuses {}: status {}", what, static_cast<int>(status)));
}

}  // namespace servecast
