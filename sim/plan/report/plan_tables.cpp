#include <sqlite3.h>

#include <memory>
#include <string>

#include "models/base/error.h"
#include "sim/plan/report/plan_report.h"

namespace servecast {
namespace {

constexpr const char* table_layout =
    "DROP TABLE IF EXISTS plan; DROP TABLE IF EXISTS designs; DROP TABLE IF EXISTS settings;"
    "DROP TABLE IF EXISTS overrides;"
    "CREATE TABLE plan (name TEXT, goal TEXT, scenario TEXT, version TEXT, complete INTEGER, certificate TEXT,"
    " scenario_file TEXT);"
    "CREATE TABLE designs (design INTEGER PRIMARY KEY, words TEXT, verdict TEXT, why TEXT, front INTEGER,"
    " gpus INTEGER, nodes INTEGER, spare_nodes INTEGER, usd_per_hour REAL, best_case_overload REAL, draws INTEGER,"
    " kept_draws INTEGER, kept_fraction_low REAL, kept_fraction_high REAL, figures_of TEXT, attained_fraction REAL,"
    " ttft_p99_s REAL, tpot_p99_s REAL, tokens_per_s_per_user REAL, tokens_per_s_per_gpu REAL);"
    "CREATE TABLE settings (design INTEGER, dimension TEXT, value TEXT, PRIMARY KEY (design, dimension));"
    "CREATE TABLE overrides (design INTEGER, number INTEGER, setting TEXT, PRIMARY KEY (design, number))";

/// One INSERT, used again and again. Values are bound in the order of the columns.
class Insert {
 public:
  Insert(sqlite3* database, const char* sql) { sqlite3_prepare_v2(database, sql, -1, &statement_, nullptr); }
  ~Insert() { sqlite3_finalize(statement_); }
  Insert(const Insert&) = delete;
  Insert& operator=(const Insert&) = delete;

  Insert& operator<<(std::int64_t value) { return sqlite3_bind_int64(statement_, ++column_, value), *this; }
  Insert& operator<<(double value) { return sqlite3_bind_double(statement_, ++column_, value), *this; }
  Insert& operator<<(const std::string& value) {
    sqlite3_bind_text(statement_, ++column_, value.c_str(), static_cast<int>(value.size()), SQLITE_TRANSIENT);
    return *this;
  }
  Insert& operator<<(const std::optional<double>& value) {
    if (value) return *this << *value;
    return sqlite3_bind_null(statement_, ++column_), *this;
  }
  bool done() {
    const bool fine = sqlite3_step(statement_) == SQLITE_DONE;
    sqlite3_reset(statement_);
    column_ = 0;
    return fine;
  }

 private:
  sqlite3_stmt* statement_ = nullptr;
  int column_ = 0;
};

std::string words(const PlanDesign& design) {
  std::string text;
  for (const std::string& setting : design.settings) text += (text.empty() ? "" : " ") + setting;
  return text;
}

bool insert_design(Insert& into, const PlanDesign& d) {
  into << d.design << words(d) << d.verdict << d.why << std::int64_t{d.front} << d.gpus << d.nodes << d.spare_nodes
       << d.usd_per_hour << d.best_case_overload << d.draws << d.kept_draws << d.kept_fraction_low
       << d.kept_fraction_high << d.figures_of << d.attained_fraction << d.ttft_p99_s << d.tpot_p99_s
       << d.tokens_per_s_per_user << d.tokens_per_s_per_gpu;
  return into.done();
}

bool insert_settings(Insert& into, const PlanDesign& d) {
  bool fine = true;
  for (const std::string& setting : d.settings) {
    const std::size_t equals = setting.find('=');
    into << d.design << setting.substr(0, equals) << setting.substr(equals + 1);
    fine = into.done() && fine;
  }
  return fine;
}

bool insert_overrides(Insert& into, const PlanDesign& d) {
  bool fine = true;
  for (std::size_t i = 0; i < d.set.size(); ++i) {
    into << d.design << static_cast<std::int64_t>(i) << d.set[i];
    fine = into.done() && fine;
  }
  return fine;
}

bool fill(sqlite3* database, const PlanReport& report) {
  Insert plan(database, "INSERT INTO plan VALUES (?,?,?,?,?,?,?)");
  Insert designs(database, "INSERT INTO designs VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
  Insert settings(database, "INSERT INTO settings VALUES (?,?,?)");
  Insert overrides(database, "INSERT INTO overrides VALUES (?,?,?)");
  plan << report.name << report.goal << report.scenario << report.version
       << std::int64_t{report.certificate.complete} << report.certificate.text
       << report.scenario_file;
  bool fine = plan.done();
  for (const PlanDesign& design : report.designs)
    fine = insert_design(designs, design) && insert_settings(settings, design) && insert_overrides(overrides, design) &&
           fine;
  return fine;
}

struct Close {
  void operator()(sqlite3* database) const { sqlite3_close(database); }
};

}  // namespace

void write_plan_tables(const std::string& file, const PlanReport& report) {
  sqlite3* opened = nullptr;
  const int status = sqlite3_open(file.c_str(), &opened);
  const std::unique_ptr<sqlite3, Close> database(opened);
  const auto run = [&](const char* sql) { return sqlite3_exec(opened, sql, nullptr, nullptr, nullptr) == SQLITE_OK; };
  const bool fine =
      status == SQLITE_OK && run("BEGIN IMMEDIATE") && run(table_layout) && fill(opened, report) && run("COMMIT");
  if (!fine) throw UserError({file}, std::string("cannot be written: ") + sqlite3_errmsg(opened));
}

}  // namespace servecast
