#include "sim/input/files/unsaved_text.h"

#include <cassert>
#include <utility>

namespace servecast {
namespace {

// Not handed down: it would be an argument of every reader of a file, and of every run in a child process.
const UnsavedText* standing_in = nullptr;

}  // namespace

UnsavedText::UnsavedText(std::string file, std::string text) : file_(std::move(file)), text_(std::move(text)) {
  assert(standing_in == nullptr);
  standing_in = this;
}

UnsavedText::~UnsavedText() { standing_in = nullptr; }

const std::string* UnsavedText::of(const std::string& file) {
  return standing_in != nullptr && standing_in->file_ == file ? &standing_in->text_ : nullptr;
}

}  // namespace servecast
