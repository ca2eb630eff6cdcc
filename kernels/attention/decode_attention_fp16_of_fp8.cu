#include "kernels/attention/decode_attention_kernel.h"

namespace servecast::decode {

bool fp16_of_fp8(const DecodeAttention& a, int head_dim, Stream stream) {
  return start_head<Half, Fp8>(a, head_dim, stream);
}

}  // namespace servecast::decode
