#include "sim/cli/output/trace_output.h"

#include <filesystem>

#include "models/base/error.h"
#include "sim/input/files/output_target.h"
#include "sim/report/files/left_behind.h"

namespace servecast {

namespace fs = std::filesystem;

namespace {

const std::string partial_mark = ".partial-";

}  // namespace

TraceOutput::TraceOutput(std::string file, const std::vector<std::string>& pools)
    : file_(std::move(file)), target_(output_target(file_)), partial_(name_of_this_process(target_ + partial_mark)) {
  const fs::path path(target_);
  remove_left_behind(path.parent_path(), path.filename().string() + partial_mark);
  try {
    events_ = std::make_unique<PerfettoTrace>(partial_, pools);
  } catch (const UserError& error) {  // names a file that the user did not ask for
    throw UserError(Place{.file = file_}, error.problems().front().message);
  }
}

TraceOutput::~TraceOutput() {
  std::error_code ignored;  // a destructor cannot report
  fs::remove(partial_, ignored);
}

void TraceOutput::commit() {
  events_->close();
  std::error_code error;
  fs::rename(partial_, target_, error);
  if (error) throw UserError(Place{.file = file_}, "cannot be written: " + error.message());
}

}  // namespace servecast
