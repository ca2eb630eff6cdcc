#pragma once
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "sim/cli/cli.h"
#include "sim/cli/program/console.h"

namespace servecast {

/// What the program did with a command line.
struct Outcome {
  int status = 0;
  std::string out;
  std::string err;
};

/// `run`: run_cli, or the like of another program.
template <class Run>
Outcome outcome_of(const Run& run, const std::vector<std::string>& arguments) {
  std::ostringstream out;
  std::ostringstream err;
  Console console{.out = out, .err = err};
  const int status = run(arguments, console);
  return {.status = status, .out = out.str(), .err = err.str()};
}

inline Outcome servecast_with(const std::vector<std::string>& arguments) { return outcome_of(run_cli, arguments); }

/// A folder of one test, gone at its end.
class TestFolder {
 public:
  TestFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "servecast-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~TestFolder() { std::filesystem::remove_all(path_); }
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;

  std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name, std::ios::binary) << text;
    return (path_ / name).string();
  }
  std::vector<std::string> names() const {
    std::vector<std::string> out;
    for (const auto& entry : std::filesystem::directory_iterator(path_))
      out.push_back(entry.path().filename().string());
    return out;
  }

 private:
  std::filesystem::path path_;
};

inline std::string text_of(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();  // character by character would take ten times as long
  return std::move(text).str();
}

}  // namespace servecast
