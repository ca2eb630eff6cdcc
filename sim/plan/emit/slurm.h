#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace servecast {

/// A command that takes --shard and --out, to be worked on by several nodes.
struct ShardedCommand {
  std::string program{};             // its path, the same on all nodes
  std::vector<std::string> words{};  // of the command, without --shard and --out
  std::string out{};                 // a folder that all nodes see
  std::int64_t shards = 1;
};

/// A script for `sbatch`: a job array with a task per share, each with a results file of its own. Tasks that lose
/// their node are started again by Slurm and go on where they were. Its last lines say how the shares are joined.
std::string slurm_array(const ShardedCommand& command);

}  // namespace servecast
