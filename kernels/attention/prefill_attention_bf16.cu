#include "kernels/attention/prefill_attention_kernel.h"

namespace servecast::prefill {

bool bf16(const PrefillAttention& a, int head_dim, Stream stream) { return start_head<Bf16>(a, head_dim, stream); }

}  // namespace servecast::prefill
