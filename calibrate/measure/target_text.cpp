#include "calibrate/measure/target_text.h"

#include "calibrate/samples/samples_csv.h"

namespace servecast {

std::string target_text(const MeasureTarget& target) {
  std::string text = target.op;
  for (const std::string& word : {target.dtype, target.mode})
    if (!word.empty()) text += " " + word;
  return text + " of " + target.engine + " with " + sizes_text(target.shape);
}

}  // namespace servecast
