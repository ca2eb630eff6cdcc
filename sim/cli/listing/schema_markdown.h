#pragma once
#include <span>
#include <string>
#include <string_view>

namespace servecast {

struct Setting;

/// For the documents: what a page begins with, its contents, and one table per map.
std::string schema_markdown(std::string_view head, std::span<const Setting> settings);

/// For a part of a document: the tables alone, below headings of the third level. Policies without settings are left
/// out.
std::string schema_part_markdown(std::span<const Setting> settings);

}  // namespace servecast
