#include "sim/cli/output/detail.h"

#include <cassert>
#include <charconv>
#include <map>

#include "models/base/error.h"
#include "models/base/names.h"
#include "sim/report/files/output_folder.h"
#include "sim/report/files/perfetto.h"
#include "sim/report/files/text_file.h"
#include "sim/report/record/platform.h"

namespace servecast {
namespace {

double read_second(const std::string& word, std::string_view text, double otherwise) {
  double value = otherwise;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool read = error == std::errc() && end == text.data() + text.size() && value >= 0;
  if (!text.empty() && !read)
    throw UserError("--detail " + word + ": '" + std::string(text) + "' is no time in seconds; write steps@from:to");
  return value;
}

/// "10:20", "10:" or ":20"
DetailChoice::Window read_window(const std::string& word, std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) throw UserError("--detail " + word + ": write the times as steps@from:to");
  DetailChoice::Window window;
  window.from_s = read_second(word, text.substr(0, colon), window.from_s);
  window.to_s = read_second(word, text.substr(colon + 1), window.to_s);
  if (window.to_s <= window.from_s) throw UserError("--detail " + word + ": the window ends before it begins");
  return window;
}

void add_word(DetailChoice& choice, const std::string& word) {
  const std::size_t at = word.find('@');
  const std::string name = word.substr(0, at);
  const bool has_window = at != std::string::npos;
  const std::map<std::string, bool*> flags{{"replicas", &choice.replicas},
                                           {"links", &choice.links},
                                           {"flows", &choice.flows},
                                           {"gateway", &choice.gateway}};
  if (name == "steps") {
    choice.steps = has_window ? read_window(word, word.substr(at + 1)) : DetailChoice::Window{};
  } else if (!flags.contains(name)) {
    throw UserError("--detail: " +
                    unknown_name("detail", name, std::vector<std::string>(detail_words.begin(), detail_words.end())));
  } else if (has_window) {
    throw UserError("--detail " + word + ": only steps can have a window");
  } else {
    *flags.at(name) = true;
  }
}

}  // namespace

DetailChoice parse_detail(const std::string& words) {
  DetailChoice choice;
  if (words.empty()) return choice;
  for (std::size_t at = 0; at <= words.size();) {
    const std::size_t comma = std::min(words.find(',', at), words.size());
    add_word(choice, words.substr(at, comma - at));
    at = comma + 1;
  }
  return choice;
}

DetailWriter::DetailWriter(const DetailChoice& choice, const OutputFolder* folder, PerfettoTrace* trace,
                           const std::vector<std::string>& pools)
    : choice_(choice), trace_(trace) {
  assert(folder || !choice.any());
  if (choice.any()) platform_file_ = folder->file("platform.json");
  if (choice.replicas) replicas_ = std::make_unique<ReplicasCsv>(folder->file("replicas.csv"), pools);
  if (choice.links) links_ = std::make_unique<LinksCsv>(folder->file("links.csv"));
  if (choice.flows) flows_ = std::make_unique<FlowsCsv>(folder->file("flows.csv"));
  if (choice.gateway) gateway_ = std::make_unique<GatewayCsv>(folder->file("gateway.csv"));
  if (choice.steps) steps_ = std::make_unique<StepsCsv>(folder->file("steps.csv"), pools);
}

void DetailWriter::platform(const Platform& platform) {
  if (choice_.any()) write_text(platform_file_, to_json(platform));
}

bool DetailWriter::in_window(double start_s) const {
  return choice_.steps && start_s >= choice_.steps->from_s && start_s < choice_.steps->to_s;
}

bool DetailWriter::wants_step(double start_s) { return trace_ || in_window(start_s); }

void DetailWriter::step(const StepRecord& step, std::span<const StepMember> members) {
  if (trace_) trace_->step(step);
  if (in_window(step.start_s)) steps_->add(step, members);
}

void DetailWriter::flow(const FlowRecord& flow) {
  if (flows_) flows_->add(flow);
}

void DetailWriter::link(const LinkSample& sample) {
  if (links_) links_->add(sample);
}

void DetailWriter::close() {
  if (replicas_) replicas_->close();
  if (links_) links_->close();
  if (flows_) flows_->close();
  if (gateway_) gateway_->close();
  if (steps_) steps_->close();
}

}  // namespace servecast
