#include <CLI/CLI.hpp>

#include "sim/claims/claims_text.h"
#include "sim/cli/program/command.h"
#include "sim/cli/program/console.h"
#include "sim/cli/program/options.h"

namespace servecast {
namespace {

class ClaimsCommand final : public Command {
 public:
  void declare(CLI::App& app) override {
    add_choice(app, "--format", format_, "format", {"markdown", "json"}, "How to write it (markdown)");
    app.footer("Examples:\n  servecast claims\n  servecast claims --format json");
  }
  int run(Console& console) override {
    const std::vector<CheckedClaim> claims = check_claims();
    console.out << (format_ == "json" ? claims_json(claims) : claims_markdown(claims));
    return 0;
  }

 private:
  std::string format_ = "markdown";
};

}  // namespace

std::unique_ptr<Command> make_claims_command() { return std::make_unique<ClaimsCommand>(); }

}  // namespace servecast
