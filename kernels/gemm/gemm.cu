#include "kernels/gemm/gemm.h"
#include "kernels/gemm/gemm_kernel.h"

namespace servecast {

bool gemm(const Gemm& g, GemmKind kind, bool bf16, Stream stream) {
  switch (kind) {
    case GemmKind::plain:
      return gemms::start_kind<GemmKind::plain>(g, bf16, stream);
    case GemmKind::w8a16:
      return gemms::start_kind<GemmKind::w8a16>(g, bf16, stream);
    case GemmKind::w4a16:
      return gemms::start_kind<GemmKind::w4a16>(g, bf16, stream);
    case GemmKind::w8a8:
      return gemms::start_kind<GemmKind::w8a8>(g, bf16, stream);
    case GemmKind::fp8:
      return gemms::start_kind<GemmKind::fp8>(g, bf16, stream);
  }
  return false;
}

}  // namespace servecast
