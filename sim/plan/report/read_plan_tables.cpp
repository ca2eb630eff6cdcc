#include <sqlite3.h>

#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "models/base/error.h"
#include "sim/plan/report/plan_report.h"

namespace servecast {
namespace {

struct CloseDatabase {
  void operator()(sqlite3* database) const { sqlite3_close(database); }
};
using Database = std::unique_ptr<sqlite3, CloseDatabase>;

/// Rows of a query, and the cells of the one it stands on.
class Rows {
 public:
  /// Throws UserError where the file has no such tables.
  Rows(sqlite3* database, const std::string& file, const char* sql) {
    if (sqlite3_prepare_v2(database, sql, -1, &statement_, nullptr) != SQLITE_OK)
      throw UserError({file}, std::string("holds no plan (") + sqlite3_errmsg(database) +
                                  "); give the plan.sqlite that `servecast plan STUDY --out DIR` has written");
  }
  ~Rows() { sqlite3_finalize(statement_); }
  Rows(const Rows&) = delete;
  Rows& operator=(const Rows&) = delete;

  bool next() { return sqlite3_step(statement_) == SQLITE_ROW; }
  std::string text(int column) const {
    const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
    return bytes ? bytes : "";
  }
  std::int64_t integer(int column) const { return sqlite3_column_int64(statement_, column); }
  std::optional<double> number(int column) const {
    if (sqlite3_column_type(statement_, column) == SQLITE_NULL) return std::nullopt;
    return sqlite3_column_double(statement_, column);
  }

 private:
  sqlite3_stmt* statement_ = nullptr;
};

Database open_to_read(const std::string& file) {
  if (!std::filesystem::is_regular_file(file)) throw UserError({file}, "is no file; give a plan.sqlite");
  sqlite3* opened = nullptr;
  const int status = sqlite3_open_v2(file.c_str(), &opened, SQLITE_OPEN_READONLY, nullptr);
  Database database(opened);
  if (status != SQLITE_OK) throw UserError({file}, std::string("cannot be read: ") + sqlite3_errmsg(opened));
  return database;
}

PlanDesign design_in(const Rows& row) {
  PlanDesign d{.design = row.integer(0),
               .verdict = row.text(1),
               .why = row.text(2),
               .front = row.integer(3) != 0,
               .gpus = row.integer(4),
               .nodes = row.integer(5),
               .spare_nodes = row.integer(6),
               .usd_per_hour = row.number(7),
               .best_case_overload = row.number(8).value_or(0),
               .draws = row.integer(9),
               .kept_draws = row.integer(10),
               .figures_of = row.text(11)};
  int column = 12;
  for (std::optional<double> PlanDesign::*figure :
       {&PlanDesign::kept_fraction_low, &PlanDesign::kept_fraction_high, &PlanDesign::attained_fraction,
        &PlanDesign::ttft_p99_s, &PlanDesign::tpot_p99_s, &PlanDesign::tokens_per_s_per_user,
        &PlanDesign::tokens_per_s_per_gpu})
    d.*figure = row.number(column++);
  return d;
}

}  // namespace

PlanReport read_plan_tables(const std::string& file) {
  const Database database = open_to_read(file);
  PlanReport report;
  Rows plan(database.get(), file, "SELECT name, goal, scenario, version, complete, certificate, scenario_file FROM plan");
  if (plan.next()) {
    report.name = plan.text(0);
    report.goal = plan.text(1);
    report.scenario = plan.text(2);
    report.version = plan.text(3);
    report.certificate.complete = plan.integer(4) != 0;
    report.certificate.text = plan.text(5);
    report.scenario_file = plan.text(6);
  }
  std::map<std::int64_t, std::size_t> place;
  Rows designs(database.get(), file,
               "SELECT design, verdict, why, front, gpus, nodes, spare_nodes, usd_per_hour, best_case_overload, draws,"
               " kept_draws, figures_of, kept_fraction_low, kept_fraction_high, attained_fraction, ttft_p99_s,"
               " tpot_p99_s, tokens_per_s_per_user, tokens_per_s_per_gpu FROM designs ORDER BY design");
  while (designs.next()) {
    place[designs.integer(0)] = report.designs.size();
    report.designs.push_back(design_in(designs));
  }
  Rows settings(database.get(), file, "SELECT design, dimension, value FROM settings ORDER BY design, rowid");
  while (settings.next())
    report.designs[place.at(settings.integer(0))].settings.push_back(settings.text(1) + "=" + settings.text(2));
  Rows overrides(database.get(), file, "SELECT design, setting FROM overrides ORDER BY design, number");
  while (overrides.next()) report.designs[place.at(overrides.integer(0))].set.push_back(overrides.text(1));
  return report;
}

}  // namespace servecast
