#include "sim/input/yaml/yaml_document.h"

#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/eventhandler.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <sstream>
#include <string_view>
#include <vector>

#include "models/base/utf8.h"

namespace servecast {
namespace {

constexpr std::int64_t most_repeated = 1'000'000;

/// Listens to yaml-cpp's parser and throws at what yaml-cpp takes without a word. It counts values as those meet them
/// that walk through the document: an alias is as many as what it stands for.
class DocumentGuard final : public YAML::EventHandler {
 public:
  DocumentGuard(std::string_view text, const std::string& file) : text_(text), file_(file) {
    if (text_.starts_with(byte_order_mark))
      text_.remove_prefix(byte_order_mark.size());  // yaml-cpp does not count it
  }

  /// yaml-cpp gives a ',' outside of all lists and maps as one empty document after the other, without end.
  void OnDocumentStart(const YAML::Mark& mark) override {
    if (is_comma(mark)) fail(mark, "this ',' stands outside of [...] and {...}");
    if (++documents_ > 1) fail(mark, "a second document begins here; give it a file of its own");
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t anchor) override { count(anchor); }
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t anchor, const std::string&) override {
    count(anchor);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    if (std::ranges::find(open_, anchor, &Open::anchor) != open_.end())
      fail(mark, "this alias stands inside of what it stands for");
    values_ += size_[anchor];
    repeated_ += size_[anchor];
    if (repeated_ > most_repeated) fail(mark, "aliases repeat more than 1,000,000 values; use fewer");
  }
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t anchor, YAML::EmitterStyle::value) override {
    open(anchor);
  }
  void OnMapEnd() override { close(); }

 private:
  struct Open {
    YAML::anchor_t anchor = 0;  // 0: none
    std::int64_t before = 0;    // values
  };
  [[noreturn]] void fail(const YAML::Mark& mark, const char* message) const {
    throw UserError(place_of(file_, mark), message);
  }
  bool is_comma(const YAML::Mark& mark) const {
    const auto at = static_cast<std::size_t>(mark.pos);
    return at < text_.size() && text_[at] == ',';
  }
  void count(YAML::anchor_t anchor) {
    ++values_;
    if (anchor != 0) size_[anchor] = 1;
  }
  void open(YAML::anchor_t anchor) { open_.push_back({.anchor = anchor, .before = values_++}); }
  void close() {
    if (open_.back().anchor != 0) size_[open_.back().anchor] = values_ - open_.back().before;
    open_.pop_back();
  }

  std::string_view text_;
  const std::string& file_;
  int documents_ = 0;
  std::int64_t values_ = 0;
  std::int64_t repeated_ = 0;
  std::map<YAML::anchor_t, std::int64_t> size_{};
  std::vector<Open> open_{};
};

void guard_document(const std::string& text, const std::string& file) {
  std::istringstream in(text);
  YAML::Parser parser(in);
  DocumentGuard guard(text, file);
  while (parser.HandleNextDocument(guard)) continue;
}

bool has_line(std::string_view text, std::string_view begin) {
  for (std::size_t at = text.find(begin); at != std::string_view::npos; at = text.find(begin, at + 1))
    if (at == 0 || text[at - 1] == '\n') return true;
  return false;
}

/// A map whose first key stands at the left margin, not in {...}, goes on to the end of the text, to a "---" or "..."
/// line or to a directive. Nearly all files are one: asking the guard, too, would take as long as reading them.
bool is_plain(const YAML::Node& root, std::string_view text) {
  if (!root.IsMap() || root.size() == 0 || root.Style() != YAML::EmitterStyle::Block) return false;
  const YAML::Node first = root.begin()->first;
  if (!first.IsScalar() || first.Mark().column != 0) return false;
  if (text.find_first_of({"*\0", 2}) != text.npos) return false;  // aliases; 0: UTF-16
  return !has_line(text, "---") && !has_line(text, "...") && !has_line(text, "%");
}

}  // namespace

Place place_of(const std::string& file, const YAML::Mark& mark) {
  if (mark.is_null()) return {.file = file};
  return {.file = file, .line = mark.line + 1, .column = mark.column + 1};
}

YAML::Node yaml_document(const std::string& text, const std::string& file) {
  try {
    YAML::Node root = YAML::Load(text);
    if (!is_plain(root, text)) guard_document(text, file);
    return root;
  } catch (const YAML::DeepRecursion& e) {
    throw UserError(place_of(file, e.mark), "is not valid YAML: maps and lists are nested too deeply");
  } catch (const YAML::ParserException& e) {
    throw UserError(place_of(file, e.mark), "is not valid YAML: " + e.msg);
  }
}

}  // namespace servecast
