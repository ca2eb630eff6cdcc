#include "sim/cli/command.h"
#include "sim/cli/options.h"
#include "sim/cli/schema_text.h"

namespace servecast {
namespace {

class SchemaCommand final : public Command {
 public:
  void declare(CLI::App& app) override {
    add_choice(app, "--format", format_, "format", {"text", "json", "markdown"}, "How to write it (text)");
    app.footer("Examples:\n  servecast schema\n  servecast schema --format json");
  }
  int run(Console& console) override {
    const std::vector<Setting> settings = describe_settings<ScenarioSpec>();
    console.out << (format_ == "json"       ? schema_json(settings)
                    : format_ == "markdown" ? schema_markdown(settings)
                                            : schema_plain(settings));
    return 0;
  }

 private:
  std::string format_ = "text";
};

}  // namespace

std::unique_ptr<Command> make_schema_command() { return std::make_unique<SchemaCommand>(); }

}  // namespace servecast
