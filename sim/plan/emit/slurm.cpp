#include "sim/plan/emit/slurm.h"

#include <fmt/format.h>

#include "models/base/escaped.h"

namespace servecast {
namespace {

std::string command_line(const ShardedCommand& command) {
  std::string text = shell_word(command.program);
  for (const std::string& word : command.words) text += " " + shell_word(word);
  return text;
}

}  // namespace

std::string slurm_array(const ShardedCommand& command) {
  const std::string line = command_line(command);
  const std::string out = shell_word(command.out);
  return fmt::format(
      "#!/bin/sh\n"
      "#SBATCH --job-name=servecast\n"
      "#SBATCH --array=1-{shards}\n"
      "#SBATCH --ntasks=1\n"
      "#SBATCH --requeue\n"
      "# Give a task more processors with sbatch --cpus-per-task=N: it runs as many simulations at a time.\n"
      "{line} --shard \"$SLURM_ARRAY_TASK_ID/{shards}\" --out {out}/shard-\"$SLURM_ARRAY_TASK_ID\" \\\n"
      "  --jobs \"${{SLURM_CPUS_PER_TASK:-1}}\" --progress none\n"
      "\n"
      "# When all tasks are done:\n"
      "{merge}{answer}",
      fmt::arg("shards", command.shards), fmt::arg("line", line), fmt::arg("out", out),
      fmt::arg("merge", comment_line(fmt::format("  {} plan merge {}/shard-* --out {}", shell_word(command.program),
                                                 out, out))),
      fmt::arg("answer", comment_line(fmt::format("  {} --out {}", line, out))));
}

}  // namespace servecast
