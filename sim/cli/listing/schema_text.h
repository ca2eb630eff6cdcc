#pragma once
#include <span>
#include <string>

namespace servecast {

struct Setting;

// The keys of a settings file; schema_markdown.h has them for the documents.

/// For programs: a list of objects, one per key, in the order of the file.
std::string schema_json(std::span<const Setting> settings);
/// For the terminal.
std::string schema_plain(std::span<const Setting> settings);

/// "2048", "least_loaded", "required", or nothing.
std::string default_words(const Setting& setting);
/// "number, s".
std::string type_words(const Setting& setting);
/// The choices, or the range.
std::string allowed_words(const Setting& setting);
/// "at least 1", "above 0, at most 1"; empty where every number that makes sense is allowed.
std::string range_words(const Setting& setting);

}  // namespace servecast
