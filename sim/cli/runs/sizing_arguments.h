#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace servecast {

class UserError;

/// Without places in a study's text that was made from arguments, which its user has not seen.
UserError without_lines(const UserError& error, const std::string& file);

/// What a study can be made from on a command line, without writing one.
struct SizingArguments {
  std::string scenario{};
  std::string model{};
  std::string weights = "auto";
  std::string trace{};
  std::optional<double> rate_per_s{};
  double prompt_tokens = 500;
  double output_tokens = 200;
  std::int64_t requests = 1000;
  std::optional<double> ttft_p99_s{};
  std::optional<double> tpot_p99_s{};
  std::vector<std::string> gpus{};
  std::int64_t max_gpus = 0;  // 0: by bounds
  bool quick = false;

  void declare(CLI::App& app);
  /// Whether any of them was given.
  bool given() const;
  /// The study's text, as it stands in the file `name`. Throws UserError where it lacks something.
  std::string study_text(const std::string& name) const;

 private:
  const CLI::App* app_ = nullptr;
};

}  // namespace servecast
