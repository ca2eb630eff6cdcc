#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace servecast {

struct PlanKind;
struct PlanReport;
struct SearchResult;
struct Study;

/// The best design of every kind of GPU in the space, the chosen one first.
std::vector<PlanKind> kinds_of(const Study& study, const SearchResult& found);

/// The answer in a sentence, as a manager asks for it. Reads the report's answers and kinds.
std::string headline(const Study& study, const PlanReport& report);

/// What became of a design, as a sentence: nothing in it is blank.
std::string verdict_sentence(const std::string& verdict, const std::string& why, std::int64_t kept,
                             std::int64_t draws);

}  // namespace servecast
