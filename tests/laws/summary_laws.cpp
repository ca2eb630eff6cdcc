// What must hold of every summary.json of a run that was not cut off.  summary_laws SUMMARY.json
//
// Every request that arrived ended in exactly one counted state, none is unfinished, and every share lies in [0, 1].
#include <fmt/core.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

namespace {

using Json = nlohmann::json;

constexpr double rounding = 1e-9;  // numbers of summary.json have nine significant digits

/// Number of shares below `value` that are outside [0, 1]; names each.
int wrong_shares(const Json& value, const std::string& path) {
  int wrong = 0;
  if (value.is_structured())
    for (const auto& [key, part] : value.items()) wrong += wrong_shares(part, path + "." + key);
  const bool share = path.ends_with("_fraction") && value.is_number();
  if (share && !(value.get<double>() >= 0 && value.get<double>() <= 1 + rounding)) {
    fmt::print("{} = {} is no share of anything\n", path, value.get<double>());
    ++wrong;
  }
  return wrong;
}

int wrong_counts(const Json& requests) {
  std::int64_t ended = 0;
  for (const auto& [state, count] : requests.items())
    if (state != "arrived" && count.is_number_integer()) ended += count.get<std::int64_t>();
  const bool conserved = ended == requests.at("arrived").get<std::int64_t>();
  if (!conserved) fmt::print("requests are not conserved: {}\n", requests.dump());
  const bool finished = requests.at("unfinished") == 0;
  if (!finished) fmt::print("{} requests are unfinished\n", requests.at("unfinished").dump());
  return !conserved + !finished;
}

}  // namespace

int main(int count, char** words) {
  if (count != 2) return 2;
  std::ifstream file(words[1]);
  Json summary = Json::parse(file);
  // What the user wrote is no outcome: an answer may well be longer than the plain one (output_fraction).
  summary.erase("settings");
  return wrong_counts(summary.at("requests")) + wrong_shares(summary, "") > 0 ? 1 : 0;
}
