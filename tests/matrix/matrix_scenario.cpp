// Draws a scenario of the matrix.
//   matrix_scenario SEED [EDIT...]        writes it as YAML; edits: see edits.h
//   matrix_scenario --parts SEED [EDIT...]  lists what could be left out of it
//   matrix_scenario --rows < MESSAGE      names the refused combinations of a message; exit status 1: it has others
#include <charconv>
#include <iostream>
#include <iterator>
#include <optional>

#include "tests/matrix/draw/draw_scenario.h"
#include "tests/matrix/edits.h"
#include "tests/matrix/refusals.h"
#include "tests/matrix/yaml_text.h"

namespace {

using namespace servecast::matrix;

std::optional<std::uint64_t> seed_in(const std::string& word) {
  std::uint64_t seed = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), seed);
  if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return seed;
}

int name_rows() {
  const std::string message{std::istreambuf_iterator<char>(std::cin), {}};
  const std::vector<std::string> rows = rows_of(message);
  for (const std::string& row : rows) std::cout << row << '\n';
  return rows.empty() ? 1 : 0;
}

}  // namespace

int main(int count, char** arguments) {
  std::vector<std::string> words(arguments + 1, arguments + count);
  if (words == std::vector<std::string>{"--rows"}) return name_rows();
  const bool parts = !words.empty() && words.front() == "--parts";
  if (parts) words.erase(words.begin());
  const auto seed = words.empty() ? std::nullopt : seed_in(words.front());
  if (!seed) {
    std::cerr << "matrix_scenario [--parts] SEED [EDIT...], or matrix_scenario --rows < MESSAGE\n";
    return 2;
  }
  Tree scenario = draw_scenario(*seed);
  edit(scenario, {words.begin() + 1, words.end()});
  if (!parts) std::cout << yaml_text(scenario);
  if (parts)
    for (const std::string& part : parts_of(scenario)) std::cout << part << '\n';
  return 0;
}
