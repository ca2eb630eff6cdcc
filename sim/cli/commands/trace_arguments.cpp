#include "sim/cli/commands/trace_arguments.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "models/base/names.h"
#include "sim/input/yaml/schema.h"

namespace servecast {
namespace {

/// "rate_scale" -> "--rate-scale". `--format` is taken: it says how to write, not how to read.
std::string option_name(const std::string& key) {
  std::string name = key == "format" ? "input_format" : key;
  std::ranges::replace(name, '_', '-');
  return "--" + name;
}

}  // namespace

void TraceArguments::declare(CLI::App& app) {
  app.add_option("TRACE", file_, "The trace, plain or gzip")->required()->type_name("FILE");
  for (const Setting& setting : describe_settings<TraceSpec>()) {
    if (setting.key() == "path") continue;
    const std::string option = option_name(setting.key());
    keys_[option] = setting.key();
    const std::string type = setting.choices.empty() ? "NUMBER" : join(setting.choices, "|");
    app.add_option(option, given_[option], setting.help)->type_name(type);
  }
  app.add_option("--seed", seed_, "Seed, where session starts are drawn (1)")->type_name("NUMBER");
}

YamlText TraceArguments::as_settings() const {
  YamlText text{.file = "", .root = {}, .overrides = {}};
  text.root["trace"]["path"] = file_;
  for (const auto& [option, value] : given_) {
    if (value.empty()) continue;
    const std::string& key = keys_.at(option);
    text.root["trace"][key] = value;
    text.overrides["trace." + key] = option + " " + value;
  }
  return text;
}

WorkloadSpec TraceArguments::read(YamlText& text) {
  WorkloadSpec spec;
  YamlFields fields(text);
  spec.fields(fields);
  fields.finish();
  text.throw_problems();
  return spec;
}

}  // namespace servecast
