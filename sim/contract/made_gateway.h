#pragma once
#include <map>
#include <memory>
#include <string>

#include "models/policy/gateway.h"

namespace servecast {

/// Settings as a test wants them: names of targets where a policy must have some, else the defaults, else what
/// `numbers` says.
class MadeSettings final : public Fields {
 public:
  explicit MadeSettings(std::map<std::string, double> numbers = {}, std::map<std::string, std::string> texts = {})
      : numbers_(std::move(numbers)), texts_(std::move(texts)) {}

  void visit(const About& about, double& value) override { number(about, value); }
  void visit(const About& about, std::int64_t& value) override { number(about, value); }
  void visit(const About& about, bool& value) override { number(about, value); }
  void visit(const About& about, std::string& value) override {
    if (const auto found = texts_.find(std::string(about.key)); found != texts_.end())
      value = found->second;
    else if (about.required)
      value = about.key == "name" ? "api" : names_[next_++ % 2];
  }
  void visit(const About& about, std::optional<double>& value) override { optional_number(about, value); }
  void visit(const About& about, std::optional<std::int64_t>& value) override { optional_number(about, value); }
  void visit(const About& about, std::vector<double>& value) override {
    if (about.required) value = {numbers_.contains("accept") ? numbers_["accept"] : 0.5};
  }
  void visit(const About& about, std::vector<std::string>& value) override {
    if (about.required) value = {"small", "large"};
  }
  void enter(const About& about) override { path_.push_back(std::string(about.key) + "."); }
  bool enter_optional(const About&, bool) override { return false; }
  std::size_t enter_list(const About& about, std::size_t size) override {
    enter(about);
    return about.required ? 1 : size;
  }
  void enter_item(std::size_t) override { path_.emplace_back(); }
  void leave() override { path_.pop_back(); }

 private:
  std::optional<double> asked(const About& about) const {
    std::string path;
    for (const std::string& part : path_) path += part;
    const auto found = numbers_.find(path + std::string(about.key));
    return found == numbers_.end() ? std::nullopt : std::optional(found->second);
  }
  template <class T>
  void number(const About& about, T& value) {
    if (const auto wanted = asked(about)) value = static_cast<T>(*wanted);
  }
  template <class T>
  void optional_number(const About& about, std::optional<T>& value) {
    if (const auto wanted = asked(about))
      value = static_cast<T>(*wanted);
    else if (about.key == "strong_fraction" && !numbers_.contains("alpha"))
      value = static_cast<T>(0.5);
    else if (about.key == "last_tokens" && !numbers_.contains("last_turns"))
      value = static_cast<T>(100);
  }

  static constexpr const char* names_[]{"small", "large"};
  std::size_t next_ = 0;
  std::map<std::string, double> numbers_;
  std::map<std::string, std::string> texts_;
  std::vector<std::string> path_;
};

/// One stage of the gateway, alone, in front of the pools "small" (scores 0.7) and "large" (0.9) and the API "api"
/// (0.8).
struct MadeStage {
  explicit MadeStage(const std::string& name, MadeSettings settings = MadeSettings()) {
    const auto prepared = Registry<GatewayPolicy>::all().at(name).prepare();
    prepared->fields(settings);
    policy = prepared->make();
    quality.set(TargetId{0}, std::nullopt, 0.7);
    quality.set(TargetId{1}, std::nullopt, 0.9);
    quality.set(TargetId{2}, std::nullopt, 0.8);
    policy->prepare({.targets = {"small", "large", "api"}, .quality = quality, .class_id = [](std::string_view) {
                       return ClassId{1};
                     }});
  }

  static Request request(std::uint32_t id, std::int64_t prompt_tokens = 2000, std::int64_t output_tokens = 100) {
    return {
        .id = RequestId{id}, .arrival_s = 0.1 * id, .prompt_tokens = prompt_tokens, .output_tokens = output_tokens};
  }
  StageAction arrive(GatewayRequest& of, double now_s) { return policy->arrive({of, note, now_s, rng}); }
  GatewayVerdict answered(GatewayRequest& of, double now_s, std::uint16_t target) {
    const GatewayAnswer answer{.target = TargetId{target},
                               .first_token_s = now_s - 1,
                               .finish_s = now_s,
                               .output_tokens = of.request.output_tokens,
                               .score = 0.7};
    return policy->answered({of, note, now_s, rng}, answer);
  }
  double count(const std::string& name) const {
    for (const PolicyCount& c : policy->counts())
      if (c.name == name) return c.value;
    return -1;
  }

  AnswerQuality quality{};
  std::unique_ptr<GatewayPolicy> policy;
  PolicyNote note{};
  Rng rng{1, "gateway"};
};

}  // namespace servecast
