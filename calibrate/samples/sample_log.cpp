#include "calibrate/samples/sample_log.h"

#include "calibrate/samples/samples_csv.h"

namespace servecast {

SampleLog::SampleLog(const std::string& file) : rows_(file, samples_header()) {
  if (rows_.found()) found_ = read_samples(file);
}

void SampleLog::write(const Sample& sample) { rows_.put(samples_line(sample)); }

}  // namespace servecast
