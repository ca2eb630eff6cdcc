#include "sim/plan/emit/slurm.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>

namespace servecast {
namespace {

std::string command_line(const ShardedCommand& command) {
  std::string text = shell_word(command.program);
  for (const std::string& word : command.words) text += " " + shell_word(word);
  return text;
}

}  // namespace

std::string shell_word(const std::string& word) {
  const auto plain = [](unsigned char c) {
    return std::isalnum(c) != 0 ||
           std::string_view("_-./=:,@%+").find(static_cast<char>(c)) != std::string_view::npos;
  };
  if (!word.empty() && std::ranges::all_of(word, plain)) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

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
      "#   {program} plan merge {out}/shard-* --out {out}\n"
      "#   {line} --out {out}\n",
      fmt::arg("shards", command.shards), fmt::arg("line", line), fmt::arg("out", out),
      fmt::arg("program", shell_word(command.program)));
}

}  // namespace servecast
