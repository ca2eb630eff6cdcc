#pragma once
#include <span>
#include <string>
#include <vector>

#include "sim/report/record/run_facts.h"

namespace servecast {

class FileDigests;

/// Of the files that a scenario was read from, those that did not come with the program: plug-ins, and what lies in
/// libraries of one's own.
std::vector<AddedFile> added_files(std::span<const std::string> read, FileDigests& digests);

}  // namespace servecast
