#include "kernels/attention/decode_attention_kernel.h"

namespace servecast::decode {

bool fp16(const DecodeAttention& a, int head_dim, Stream stream) {
  return start_head<Half, Half>(a, head_dim, stream);
}

}  // namespace servecast::decode
