#include "kernels/attention/prefill_attention_kernel.h"

namespace servecast {

bool prefill_attention(const PrefillAttention& a, int head_dim, KvNumber number, Stream stream) {
  if (number == KvNumber::fp16) return prefill::start_head<Half>(a, head_dim, stream);
  return number == KvNumber::bf16 && prefill::bf16(a, head_dim, stream);
}

}  // namespace servecast
