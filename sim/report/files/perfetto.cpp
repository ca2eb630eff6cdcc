#include "sim/report/files/perfetto.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>

#include "models/base/error.h"

namespace servecast {
namespace {

constexpr std::int64_t rows_per_replica = 64;  // a pipeline has fewer stages than that

double to_us(double time_s) { return time_s * 1e6; }
std::string quoted(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}
std::size_t process_of(PoolId pool) { return index(pool) + 1; }  // 0 would be the idle process

}  // namespace

PerfettoTrace::PerfettoTrace(std::string file, const std::vector<std::string>& pools)
    : name_(std::move(file)), file_(std::fopen(name_.c_str(), "wb")) {
  if (!file_) fail();
  std::fputs("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n", file_.get());
  for (std::size_t p = 0; p < pools.size(); ++p) put_name("process_name", process_of(PoolId(p)), 0, pools[p]);
}

void PerfettoTrace::fail() const {
  throw UserError({name_}, std::string("cannot be written: ") + std::strerror(errno));
}

void PerfettoTrace::put(std::string_view event) {
  if (!first_) std::fputs(",\n", file_.get());
  first_ = false;
  std::fwrite(event.data(), 1, event.size(), file_.get());  // close() looks whether all went well
}

void PerfettoTrace::put_name(std::string_view kind, std::size_t process, std::int64_t thread, std::string_view name) {
  put(fmt::format(R"({{"ph":"M","name":"{}","pid":{},"tid":{},"args":{{"name":{}}}}})", kind, process, thread,
                  quoted(name)));
}

std::int64_t PerfettoTrace::row_of(const StepRecord& step) {
  const std::size_t replica = index(step.replica);
  if (row_ends_.size() <= replica) row_ends_.resize(replica + 1);
  std::vector<double>& ends = row_ends_[replica];
  const auto free_row = std::ranges::find_if(ends, [&](double end_s) { return end_s <= step.start_s; });
  const std::int64_t row = free_row - ends.begin();
  const std::int64_t thread = static_cast<std::int64_t>(replica) * rows_per_replica + row;
  if (free_row == ends.end()) {
    ends.push_back(0);
    const std::string name =
        row == 0 ? fmt::format("replica {}", replica) : fmt::format("replica {} (+{})", replica, row);
    put_name("thread_name", process_of(step.pool), thread, name);
  }
  ends[static_cast<std::size_t>(row)] = step.end_s;
  return thread;
}

void PerfettoTrace::step(const StepRecord& s) {
  const std::int64_t thread = row_of(s);
  const std::string_view kind = s.prefill_sequences == 0 ? "decode" : s.decode_sequences == 0 ? "prefill" : "mixed";
  put(fmt::format(R"({{"ph":"X","cat":"step","name":"{}","pid":{},"tid":{},"ts":{:.3f},"dur":{:.3f},"args":{{)"
                  R"("decode_sequences":{},"prefill_sequences":{},"prefill_tokens":{},"emitted_tokens":{},)"
                  R"("used_blocks":{}}}}})",
                  kind, process_of(s.pool), thread, to_us(s.start_s), to_us(s.end_s - s.start_s), s.decode_sequences,
                  s.prefill_sequences, s.prefill_tokens, s.emitted_tokens, s.used_blocks));
}

void PerfettoTrace::put_span(const RequestRecord& r, std::string_view name, double from_s, double to_s) {
  const auto half = [&](std::string_view phase, double at_s) {
    put(fmt::format(R"({{"ph":"{}","cat":"request","name":"{}","id":{},"pid":{},"tid":0,"ts":{:.3f},"args":{{)"
                    R"("prompt_tokens":{},"output_tokens":{}}}}})",
                    phase, name, static_cast<std::uint32_t>(r.id), process_of(r.pool), to_us(at_s), r.prompt_tokens,
                    r.output_tokens));
  };
  half("b", from_s);
  half("e", to_s);
}

void PerfettoTrace::request(const RequestRecord& r) {
  if (r.off_pools) return;  // no replica had it
  if (r.scheduled_s) put_span(r, "queue", r.arrival_s, *r.scheduled_s);
  const std::optional<double> computed_s = r.prompt_end_s ? r.prompt_end_s : r.first_token_s;
  if (r.scheduled_s && computed_s) put_span(r, "prefill", *r.scheduled_s, *computed_s);
  if (r.first_token_s && r.finish_s) put_span(r, "decode", *r.first_token_s, *r.finish_s);
}

void PerfettoTrace::close() {
  std::fputs("\n]}\n", file_.get());
  const bool bad = std::ferror(file_.get()) != 0;
  if (std::fclose(file_.release()) != 0 || bad) fail();
}

}  // namespace servecast
