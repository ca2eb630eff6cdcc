#pragma once
#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "models/base/registry.h"

namespace servecast {

/// Sets a policy's settings by key; those of a group by "group.key", of a list by "list.0.key".
class SetByKey final : public Fields {
 public:
  explicit SetByKey(std::map<std::string, std::string> values) : values_(std::move(values)) {}
  void visit(const About& a, double& v) override {
    put(a, [&](const std::string& text) { v = std::stod(text); });
  }
  void visit(const About& a, std::int64_t& v) override {
    put(a, [&](const std::string& text) { v = std::stoll(text); });
  }
  void visit(const About& a, bool& v) override {
    put(a, [&](const std::string& text) { v = text == "true"; });
  }
  void visit(const About& a, std::string& v) override {
    put(a, [&](const std::string& text) { v = text; });
  }
  void visit(const About& a, std::optional<double>& v) override {
    put(a, [&](const std::string& text) { v = std::stod(text); });
  }
  void visit(const About& a, std::optional<std::int64_t>& v) override {
    put(a, [&](const std::string& text) { v = std::stoll(text); });
  }
  void visit(const About&, std::vector<double>&) override {}
  void visit(const About&, std::vector<std::string>&) override {}
  void enter(const About& a) override { path_ += std::string(a.key) + "."; }
  bool enter_optional(const About&, bool) override { return false; }
  std::size_t enter_list(const About& a, std::size_t size) override {
    enter(a);
    while (std::ranges::any_of(
        values_, [&](const auto& v) { return v.first.starts_with(path_ + std::to_string(size) + "."); }))
      ++size;
    return size;
  }
  void enter_item(std::size_t i) override { path_ += std::to_string(i) + "."; }
  void leave() override { path_.resize(path_.find_last_of('.', path_.size() - 2) + 1); }

 private:
  template <class Put>
  void put(const About& a, Put put) {
    if (const auto found = values_.find(path_ + std::string(a.key)); found != values_.end()) put(found->second);
  }
  std::map<std::string, std::string> values_;
  std::string path_{};
};

/// The registered policy of that name with these settings.
template <class Interface>
std::unique_ptr<Interface> made_policy(const std::string& name, std::map<std::string, std::string> settings) {
  const auto prepared = Registry<Interface>::all().at(name).prepare();
  SetByKey fields(std::move(settings));
  prepared->fields(fields);
  return prepared->make();
}

}  // namespace servecast
