#pragma once
#include "models/base/fields.h"

namespace servecast {

/// Looks at what a struct's fields() lists and changes nothing: each value goes to one of the calls below.
class FieldWalk : public Fields {
 public:
  void visit(const About& about, double& value) final { number(about, value, false); }
  void visit(const About& about, std::int64_t& value) final { number(about, static_cast<double>(value), true); }
  void visit(const About& about, std::optional<double>& value) final { number(about, value, false); }
  void visit(const About& about, std::optional<std::int64_t>& value) final {
    number(about, value ? std::optional(static_cast<double>(*value)) : std::nullopt, true);
  }
  void visit(const About& about, std::string& value) final { text(about, value); }
  void visit(const About& about, bool&) final { yes_no(about); }
  void visit(const About& about, std::vector<double>&) final { other(about); }
  void visit(const About& about, std::vector<std::string>&) final { other(about); }

 protected:
  virtual void number(const About& about, std::optional<double> value, bool count) = 0;
  virtual void text(const About&, const std::string& /*value*/) {}
  virtual void yes_no(const About&) {}
  virtual void other(const About&) {}
};

/// fields() serves reading as well, so it wants something that it may change.
template <HasFields T>
void walk(T copy, FieldWalk& with) {
  copy.fields(with);
}

}  // namespace servecast
