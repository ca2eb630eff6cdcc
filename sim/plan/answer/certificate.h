#pragma once
#include <string>

namespace servecast {

struct Certificate;
class Runs;
struct SearchResult;
struct Study;

/// What was proven of a search's designs, in numbers and in words.
Certificate certificate(const Study& study, const SearchResult& found);

/// Where no design keeps its promises: the one that misses them by least at the best estimate, and what it misses.
std::string closest(const Study& study, Runs& runs, const SearchResult& found);

}  // namespace servecast
