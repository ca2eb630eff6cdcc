#include "calibrate/step/step_part.h"

namespace servecast {

StepWork work_of(std::span<const StepPart> parts, const StepLatency& latency) {
  StepWork work;
  for (const StepPart& part : parts) {
    work.emitted_tokens += part.emits ? 1 : 0;
    if (part.decodes) {
      work.decode_sequences += 1;
      work.decode_kv_tokens += part.before_tokens + 1;
    } else {
      work.add_chunk(part.tokens, part.before_tokens, latency.chunk_s(part.tokens, part.before_tokens));
    }
  }
  return work;
}

}  // namespace servecast
