#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <charconv>
#include <optional>
#include <string_view>
#include <vector>

#include "calibrate/servers/read/closed_loop/closed_loop_run.h"
#include "calibrate/servers/read/csv_rows.h"

namespace servecast {
namespace {

/// The leading numbers: 0.15.1rc2 is 0, 15, 1; 1.2 is 1, 2, 0. Nothing where the text does not begin with two.
std::optional<std::array<int, 3>> numbers_of(std::string_view version) {
  std::array<int, 3> numbers{};
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto [end, error] = std::from_chars(version.data(), version.data() + version.size(), numbers[i]);
    if (error != std::errc()) return i < 2 ? std::nullopt : std::optional(numbers);
    version.remove_prefix(static_cast<std::size_t>(end - version.data()));
    if (version.starts_with('.')) version.remove_prefix(1);
  }
  return numbers;
}

/// Major and minor number as one: 0.15.1rc2 is 15, 1.2 is 1002.
std::optional<int> release(std::string_view version) {
  const auto numbers = numbers_of(version);
  return numbers ? std::optional(1000 * (*numbers)[0] + (*numbers)[1]) : std::nullopt;
}

struct Family {
  std::string_view backend;
  int first;  // release()
  int last;
  const char* file;
};
constexpr std::array<Family, 7> families{{
    {"vllm", 0, 6, "vllm-0.6"},
    {"vllm", 7, 13, "vllm-0.12"},
    {"vllm", 14, 999, "vllm-0.15"},
    {"sglang", 4, 999, "sglang-0.5"},
    {"trtllm", 0, 999, "trtllm-0.15"},
    {"trtllm", 1000, 1001, "trtllm-1.0"},
    {"trtllm", 1002, 1999, "trtllm-1.2"},
}};

}  // namespace

bool is_from(std::string_view version, std::string_view first) { return numbers_of(version) >= numbers_of(first); }

std::string version_of_image(const std::string& image) {
  std::string version = image.substr(image.rfind(':') + 1);
  if (version.starts_with('v')) version.erase(0, 1);
  return version;
}

std::string engine_file(const std::string& backend, const std::string& version) {
  const std::optional<int> wanted = release(version);
  for (const Family& family : families)
    if (wanted && family.backend == backend && family.first <= *wanted && *wanted <= family.last) return family.file;
  std::vector<std::string_view> known;
  for (const Family& family : families) known.emplace_back(family.file);
  throw NoMatch(fmt::format("no bundled engine is that of '{}' version '{}'; known are {}", backend, version,
                            fmt::join(known, ", ")));
}

}  // namespace servecast
