#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

struct sqlite3;

namespace servecast {

struct KnownRequest {
  std::string key{};
  std::string rests_on{};
};

/// Results of simulations, each under the key of what it rests on: a SQLite file. What add() was given is there
/// whenever the program is killed afterwards. One process at a time; throws UserError where another one has it, or
/// where the file is something else.
class ResultsFile {
 public:
  explicit ResultsFile(const std::string& file);  // made where it is not there
  ~ResultsFile();
  ResultsFile(const ResultsFile&) = delete;
  ResultsFile& operator=(const ResultsFile&) = delete;

  std::optional<std::string> find(const std::string& key);
  void add(const std::string& key, const std::string& summary);
  /// Why there will never be a summary.
  std::optional<std::string> find_refusal(const std::string& key);
  void add_refusal(const std::string& key, const std::string& why);
  /// The key of a request that was made before, and what it rests on besides its name.
  std::optional<KnownRequest> find_request(const std::string& name);
  void add_request(const std::string& name, const KnownRequest& request);
  /// Adds what the other file has and this one has not.
  void add_all(const std::string& other_file);
  std::int64_t size();

 private:
  struct Close {
    void operator()(sqlite3* database) const;
  };
  void check_kind();
  void run(const char* sql);
  std::optional<std::string> text_of(const char* sql, const std::string& key);
  void put(const char* sql, const std::vector<std::string>& values);
  [[noreturn]] void fail(int code) const;

  std::string file_;
  std::unique_ptr<sqlite3, Close> database_;
};

}  // namespace servecast
