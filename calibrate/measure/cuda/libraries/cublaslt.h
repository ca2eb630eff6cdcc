#pragma once
#include <cublasLt.h>

#include <string>

#include "calibrate/measure/cuda/libraries/shared_library.h"

namespace servecast {

/// NVIDIA's library of matrix products, as far as it is called here.
class CublasLt {
 public:
  /// Throws DeviceError where it is missing.
  CublasLt();
  ~CublasLt();
  CublasLt(const CublasLt&) = delete;
  CublasLt& operator=(const CublasLt&) = delete;

  cublasLtHandle_t handle() const { return handle_; }
  std::string version() const;
  /// Throws DeviceError.
  static void check(cublasStatus_t status, const char* what);

 private:
  template <class Function>
  Function load(const char* name) const {
    return library_.function<Function>(name);
  }
  SharedLibrary library_;

 public:
  decltype(&cublasLtMatmul) matmul = load<decltype(&cublasLtMatmul)>("cublasLtMatmul");
  decltype(&cublasLtMatmulDescCreate) make_product =
      load<decltype(&cublasLtMatmulDescCreate)>("cublasLtMatmulDescCreate");
  decltype(&cublasLtMatmulDescDestroy) end_product =
      load<decltype(&cublasLtMatmulDescDestroy)>("cublasLtMatmulDescDestroy");
  decltype(&cublasLtMatmulDescSetAttribute) set =
      load<decltype(&cublasLtMatmulDescSetAttribute)>("cublasLtMatmulDescSetAttribute");
  decltype(&cublasLtMatrixLayoutCreate) make_matrix =
      load<decltype(&cublasLtMatrixLayoutCreate)>("cublasLtMatrixLayoutCreate");
  decltype(&cublasLtMatrixLayoutDestroy) end_matrix =
      load<decltype(&cublasLtMatrixLayoutDestroy)>("cublasLtMatrixLayoutDestroy");
  decltype(&cublasLtMatmulPreferenceCreate) make_preference =
      load<decltype(&cublasLtMatmulPreferenceCreate)>("cublasLtMatmulPreferenceCreate");
  decltype(&cublasLtMatmulPreferenceDestroy) end_preference =
      load<decltype(&cublasLtMatmulPreferenceDestroy)>("cublasLtMatmulPreferenceDestroy");
  decltype(&cublasLtMatmulPreferenceSetAttribute) prefer =
      load<decltype(&cublasLtMatmulPreferenceSetAttribute)>("cublasLtMatmulPreferenceSetAttribute");
  decltype(&cublasLtMatmulAlgoGetHeuristic) choose =
      load<decltype(&cublasLtMatmulAlgoGetHeuristic)>("cublasLtMatmulAlgoGetHeuristic");

 private:
  cublasLtHandle_t handle_ = nullptr;
};

}  // namespace servecast
