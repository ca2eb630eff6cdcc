#include "sim/plan/runs/results_file.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <filesystem>

#include "models/base/error.h"

namespace servecast {
namespace {

// Tells our files from other SQLite files ("svct"), and their layouts apart.
constexpr int application_id = 0x73766374;
constexpr int layout = 1;

constexpr const char* tables[]{"results (key TEXT PRIMARY KEY, summary TEXT NOT NULL)",
                               "refusals (key TEXT PRIMARY KEY, why TEXT NOT NULL)",
                               "requests (name TEXT PRIMARY KEY, key TEXT NOT NULL, rests_on TEXT NOT NULL)"};

/// A statement, made, used and gone.
class Query {
 public:
  Query(sqlite3* database, const char* sql) { status_ = sqlite3_prepare_v2(database, sql, -1, &statement_, nullptr); }
  ~Query() { sqlite3_finalize(statement_); }
  Query(const Query&) = delete;
  Query& operator=(const Query&) = delete;

  Query& bind(int index, const std::string& text) {
    if (status_ == SQLITE_OK)
      status_ = sqlite3_bind_text(statement_, index, text.data(), static_cast<int>(text.size()), SQLITE_STATIC);
    return *this;
  }
  /// SQLITE_ROW, SQLITE_DONE or an error.
  int step() { return status_ == SQLITE_OK ? sqlite3_step(statement_) : status_; }
  std::int64_t integer() { return sqlite3_column_int64(statement_, 0); }
  std::string text() {
    const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement_, 0));
    return {bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement_, 0))};
  }

 private:
  sqlite3_stmt* statement_ = nullptr;
  int status_ = SQLITE_OK;
};

}  // namespace

void ResultsFile::Close::operator()(sqlite3* database) const { sqlite3_close(database); }

ResultsFile::ResultsFile(const std::string& file) : file_(file) {
  sqlite3* opened = nullptr;
  const int status = sqlite3_open(file.c_str(), &opened);
  database_.reset(opened);
  if (status != SQLITE_OK) fail(status);
  // An exclusive lock before the log is first used: no shared memory, so that this works on a network file system.
  run("PRAGMA locking_mode=EXCLUSIVE");
  run("BEGIN IMMEDIATE");
  check_kind();
  for (const char* table : tables) run(fmt::format("CREATE TABLE IF NOT EXISTS {} WITHOUT ROWID", table).c_str());
  run("COMMIT");
  run("PRAGMA journal_mode=WAL");
  run("PRAGMA synchronous=NORMAL");  // a crash of the machine may cost the last results, never the file
}

ResultsFile::~ResultsFile() = default;

void ResultsFile::check_kind() {
  Query held(database_.get(), "SELECT count(*) FROM sqlite_master");
  if (const int status = held.step(); status != SQLITE_ROW) fail(status);
  if (held.integer() == 0) {
    run(fmt::format("PRAGMA application_id={}", application_id).c_str());
    run(fmt::format("PRAGMA user_version={}", layout).c_str());
    return;
  }
  Query id(database_.get(), "PRAGMA application_id");
  if (id.step() != SQLITE_ROW || id.integer() != application_id)
    throw UserError({file_}, "is another program's SQLite file; name another folder");
  Query version(database_.get(), "PRAGMA user_version");
  if (version.step() != SQLITE_ROW || version.integer() != layout)
    throw UserError({file_}, "was written by another version of servecast; name another folder");
}

std::optional<std::string> ResultsFile::text_of(const char* sql, const std::string& key) {
  Query query(database_.get(), sql);
  const int status = query.bind(1, key).step();
  if (status == SQLITE_DONE) return std::nullopt;
  if (status != SQLITE_ROW) fail(status);
  return query.text();
}

void ResultsFile::put(const char* sql, const std::vector<std::string>& values) {
  Query query(database_.get(), sql);
  for (std::size_t i = 0; i < values.size(); ++i) query.bind(static_cast<int>(i) + 1, values[i]);
  if (const int status = query.step(); status != SQLITE_DONE) fail(status);
}

std::optional<std::string> ResultsFile::find(const std::string& key) {
  return text_of("SELECT summary FROM results WHERE key = ?1", key);
}

void ResultsFile::add(const std::string& key, const std::string& summary) {
  put("INSERT OR IGNORE INTO results VALUES (?1, ?2)", {key, summary});
}

std::optional<std::string> ResultsFile::find_refusal(const std::string& key) {
  return text_of("SELECT why FROM refusals WHERE key = ?1", key);
}

void ResultsFile::add_refusal(const std::string& key, const std::string& why) {
  put("INSERT OR IGNORE INTO refusals VALUES (?1, ?2)", {key, why});
}

std::optional<KnownRequest> ResultsFile::find_request(const std::string& name) {
  const auto key = text_of("SELECT key FROM requests WHERE name = ?1", name);
  if (!key) return std::nullopt;
  return KnownRequest{.key = *key,
                      .rests_on = text_of("SELECT rests_on FROM requests WHERE name = ?1", name).value_or("")};
}

void ResultsFile::add_request(const std::string& name, const KnownRequest& request) {
  put("INSERT OR REPLACE INTO requests VALUES (?1, ?2, ?3)", {name, request.key, request.rests_on});
}

void ResultsFile::add_all(const std::string& other_file) {
  { const ResultsFile other(other_file); }  // it is not being written, it is ours, and one file holds it
  Query attach(database_.get(), "ATTACH ?1 AS other");
  if (const int status = attach.bind(1, other_file).step(); status != SQLITE_DONE) fail(status);
  for (const char* table : {"results", "refusals", "requests"})
    run(fmt::format("INSERT OR IGNORE INTO {0} SELECT * FROM other.{0}", table).c_str());
  run("DETACH other");
}

std::int64_t ResultsFile::size() {
  Query query(database_.get(), "SELECT count(*) FROM results");
  if (const int status = query.step(); status != SQLITE_ROW) fail(status);
  return query.integer();
}

void ResultsFile::run(const char* sql) {
  if (const int status = sqlite3_exec(database_.get(), sql, nullptr, nullptr, nullptr); status != SQLITE_OK)
    fail(status);
}

void ResultsFile::fail(int code) const {
  if (code == SQLITE_BUSY || code == SQLITE_LOCKED)
    throw UserError({file_}, "is in use by another process; wait for it, or name another folder");
  if (code == SQLITE_NOTADB) throw UserError({file_}, "is no results file (not SQLite); name another folder");
  throw UserError({file_}, std::string("cannot be used: ") + sqlite3_errstr(code));
}

}  // namespace servecast
