#include "kernels/gemm/gemm_kernel.h"

namespace servecast::gemms {

template <>
bool start_kind<GemmKind::w8a8>(const Gemm& g, bool bf16, Stream stream) {
  return bf16 ? start<Same<Bf16, std::int8_t, int>>(g, stream) : start<Same<Half, std::int8_t, int>>(g, stream);
}

}  // namespace servecast::gemms
