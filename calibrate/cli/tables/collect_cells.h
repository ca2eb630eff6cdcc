#pragma once
#include <map>
#include <string>
#include <vector>

namespace servecast {

struct Flavour;
struct FlavourCells;
struct Gpu;

/// The cells of one GPU in these files of samples; rows of other GPUs are skipped. `engine`: whose rows are wanted.
/// Throws UserError where a file is wrong or no row is of that GPU.
std::map<Flavour, FlavourCells> collect_cells(const std::vector<std::string>& files, const Gpu& gpu,
                                              const std::string& engine);

}  // namespace servecast
