#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "models/base/fields.h"

namespace servecast {

using FigureValue = std::variant<double, std::int64_t, std::string>;

/// Figures of a hardware file that a scenario states otherwise, by their paths in the file: "peaks.bf16_flop_per_s".
using FigureChanges = std::map<std::string, FigureValue>;

/// A figure that is not as its file says.
struct ChangedFigure {
  std::string path{};
  std::string from{};
  std::string to{};
};

std::string figure_text(const FigureValue& figure);

/// Visits the figures of a hardware file: numbers, and words to choose from. Names of things, and constants that were
/// measured (`kernels`), say what the file describes, so they are none.
class FigureWalk : public Fields {
 public:
  void visit(const About& about, std::string& value) override {
    if (!about.choices.empty()) choose(about, value);
  }
  void visit(const About&, bool&) override {}
  void visit(const About&, std::optional<double>&) override {}
  void visit(const About&, std::optional<std::int64_t>&) override {}
  void visit(const About&, std::vector<double>&) override {}
  void visit(const About&, std::vector<std::string>&) override {}
  using Fields::visit;

  void enter(const About& about) override { above_.push_back(path_of(about) + "."); }
  bool enter_optional(const About&, bool) override { return false; }
  std::size_t enter_list(const About& about, std::size_t) override {
    FigureWalk::enter(about);
    return 0;
  }
  void enter_item(std::size_t) override {}
  void leave() override { above_.pop_back(); }

 protected:
  virtual void choose(const About& about, std::string& value) = 0;
  std::string path_of(const About& about) const { return above_.back() + std::string(about.key); }

 private:
  std::vector<std::string> above_{""};
};

/// Has every figure of a file as a setting that may be left out.
class OfferedFigures final : public FigureWalk {
 public:
  OfferedFigures(Fields& fields, FigureChanges& changes) : fields_(fields), changes_(changes) {}

  using FigureWalk::visit;
  void visit(const About& about, double&) override { offer<double>(about); }
  void visit(const About& about, std::int64_t&) override { offer<std::int64_t>(about); }
  void enter(const About& about) override;
  void leave() override;

 private:
  template <class T>
  void offer(const About& about);
  void choose(const About& about, std::string&) override;

  Fields& fields_;
  FigureChanges& changes_;
};

/// Changes the figures of a file, and tells which it had otherwise.
class AppliedFigures final : public FigureWalk {
 public:
  explicit AppliedFigures(const FigureChanges& changes) : changes_(changes) {}

  using FigureWalk::visit;
  void visit(const About& about, double& value) override { apply(about, value); }
  void visit(const About& about, std::int64_t& value) override { apply(about, value); }
  const std::vector<ChangedFigure>& changed() const { return changed_; }

 private:
  template <class T>
  void apply(const About& about, T& value);
  void choose(const About& about, std::string& value) override { apply(about, value); }

  const FigureChanges& changes_;
  std::vector<ChangedFigure> changed_{};
};

/// The changes of one hardware file as settings.
template <HasFields File>
struct ChangesOf {
  FigureChanges figures{};

  void fields(Fields& f) {
    File file;
    OfferedFigures offered(f, figures);
    file.fields(offered);
  }
};

template <HasFields File>
std::vector<ChangedFigure> apply(const FigureChanges& changes, File& file) {
  AppliedFigures applied(changes);
  file.fields(applied);
  return applied.changed();
}

}  // namespace servecast
