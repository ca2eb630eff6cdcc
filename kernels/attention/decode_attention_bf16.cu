#include "kernels/attention/decode_attention_kernel.h"

namespace servecast::decode {

bool bf16(const DecodeAttention& a, int head_dim, Stream stream) {
  return start_head<Bf16, Bf16>(a, head_dim, stream);
}

}  // namespace servecast::decode
