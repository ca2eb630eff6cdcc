#pragma once
#include <span>
#include <string>
#include <string_view>

namespace servecast {

struct Setting;

// The keys of a settings file, written three ways.

/// For programs: a list of objects, one per key, in the order of the file.
std::string schema_json(std::span<const Setting> settings);
/// For the documents: what a page begins with, and one table per map.
std::string schema_markdown(std::string_view head, std::span<const Setting> settings);
/// For the terminal.
std::string schema_plain(std::span<const Setting> settings);

/// "at least 1", "above 0, at most 1"; empty where every number that makes sense is allowed.
std::string range_words(const Setting& setting);

}  // namespace servecast
