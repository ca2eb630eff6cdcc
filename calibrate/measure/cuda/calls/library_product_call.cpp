#include <algorithm>
#include <array>
#include <string_view>
#include <type_traits>

#include "calibrate/measure/cuda/calls/call.h"

namespace servecast {
namespace {

struct LibraryType {
  std::string_view dtype;
  Random numbers;
  cudaDataType_t operands;
  cublasComputeType_t compute;
  cudaDataType_t scale;
  cudaDataType_t out;
  std::int64_t out_bytes;
};
/// cuBLASLt gives integer products as they are summed; only ours scales them in the same kernel.
constexpr std::array library_types{
    LibraryType{"bf16", Random::bf16, CUDA_R_16BF, CUBLAS_COMPUTE_32F, CUDA_R_32F, CUDA_R_16BF, 2},
    LibraryType{"fp8", Random::fp8, CUDA_R_8F_E4M3, CUBLAS_COMPUTE_32F, CUDA_R_32F, CUDA_R_16BF, 2},
    LibraryType{"w8a8", Random::bytes, CUDA_R_8I, CUBLAS_COMPUTE_32I, CUDA_R_32I, CUDA_R_32I, 4}};
constexpr std::int64_t workspace_bytes = 64 << 20;

template <class Handle>
using Owned = std::unique_ptr<std::remove_pointer_t<Handle>, cublasStatus_t(CUBLASWINAPI*)(Handle)>;

Owned<cublasLtMatrixLayout_t> columns(const CublasLt& lt, cudaDataType_t type, std::int64_t rows,
                                      std::int64_t count) {
  cublasLtMatrixLayout_t made = nullptr;
  lt.check(lt.make_matrix(&made, type, static_cast<std::uint64_t>(rows), static_cast<std::uint64_t>(count), rows),
           "a matrix's layout");
  return {made, lt.end_matrix};
}

/// The library counts columns where we count rows: our out = a weights^T is its out = weights^T a, both operands with
/// k along their columns.
class LibraryProductCall final : public Call {
 public:
  LibraryProductCall(const KernelShape& s, const LibraryType& type, const CublasLt& lt, Rng& rng)
      : lt_(lt),
        a_(random_buffer(s.m * s.k, type.numbers, rng)),
        weights_(random_buffer(s.n * s.k, type.numbers, rng)),
        out_(s.m * s.n * type.out_bytes),
        workspace_(workspace_bytes),
        product_(nullptr, lt.end_product),
        weights_layout_(columns(lt, type.operands, s.k, s.n)),
        a_layout_(columns(lt, type.operands, s.k, s.m)),
        out_layout_(columns(lt, type.out, s.n, s.m)),
        sums_integers_(type.compute == CUBLAS_COMPUTE_32I) {
    cublasLtMatmulDesc_t product = nullptr;
    lt.check(lt.make_product(&product, type.compute, type.scale), "a product");
    product_.reset(product);
    const cublasOperation_t transposed = CUBLAS_OP_T;
    lt.check(lt.set(product, CUBLASLT_MATMUL_DESC_TRANSA, &transposed, sizeof transposed), "a transposed operand");
    const std::int8_t fast =
        type.operands == CUDA_R_8F_E4M3 ? 1 : 0;  // sums as the matrix units make them, like ours
    lt.check(lt.set(product, CUBLASLT_MATMUL_DESC_FAST_ACCUM, &fast, sizeof fast), "fast sums");
  }

  /// False where the library has no kernel for the shape.
  bool choose() {
    cublasLtMatmulPreference_t made = nullptr;
    lt_.check(lt_.make_preference(&made), "a preference");
    const Owned<cublasLtMatmulPreference_t> preference(made, lt_.end_preference);
    const std::size_t most = workspace_bytes;
    lt_.check(lt_.prefer(made, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &most, sizeof most), "a workspace");
    int found = 0;
    const cublasStatus_t status = lt_.choose(lt_.handle(), product_.get(), weights_layout_.get(), a_layout_.get(),
                                             out_layout_.get(), out_layout_.get(), made, 1, &chosen_, &found);
    return status == CUBLAS_STATUS_SUCCESS && found > 0;
  }

  void start(Stream stream) override {
    const float one = 1;
    const float zero = 0;
    const std::int32_t whole_one = 1;
    const std::int32_t whole_zero = 0;
    const void* alpha = sums_integers_ ? static_cast<const void*>(&whole_one) : &one;
    const void* beta = sums_integers_ ? static_cast<const void*>(&whole_zero) : &zero;
    lt_.check(lt_.matmul(lt_.handle(), product_.get(), alpha, weights_.data(), weights_layout_.get(), a_.data(),
                         a_layout_.get(), beta, out_.data(), out_layout_.get(), out_.data(), out_layout_.get(),
                         &chosen_.algo, workspace_.data(), workspace_bytes, stream),
              "a product");
  }
  std::int64_t bytes() const override { return a_.bytes() + weights_.bytes() + out_.bytes(); }
  std::string version() const override { return lt_.version(); }

 private:
  const CublasLt& lt_;
  DeviceBuffer a_;
  DeviceBuffer weights_;
  DeviceBuffer out_;
  DeviceBuffer workspace_;
  Owned<cublasLtMatmulDesc_t> product_;
  Owned<cublasLtMatrixLayout_t> weights_layout_;
  Owned<cublasLtMatrixLayout_t> a_layout_;
  Owned<cublasLtMatrixLayout_t> out_layout_;
  bool sums_integers_;
  cublasLtMatmulHeuristicResult_t chosen_{};
};

}  // namespace

std::unique_ptr<Call> make_library_product(const MeasureTarget& target, const CallContext& context) {
  const auto type = std::ranges::find(library_types, std::string_view(target.dtype), &LibraryType::dtype);
  const CublasLt* lt = context.libraries.cublaslt.get();
  if (lt == nullptr || type == library_types.end() || (type->operands == CUDA_R_8F_E4M3 && !context.has_fp8))
    return nullptr;
  auto call = std::make_unique<LibraryProductCall>(target.shape, *type, *lt, context.rng);
  return call->choose() ? std::move(call) : nullptr;
}

}  // namespace servecast
