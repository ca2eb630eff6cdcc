// What must hold of every folder that a run has written.  summary_laws FOLDER
#include <fmt/core.h>

#include "tests/laws/laws.h"

int main(int count, char** words) {
  using namespace servecast::laws;
  if (count != 2) return 2;
  const RunFiles run = read_run(words[1]);
  Findings findings;
  for (const auto check : {check_numbers, check_requests, check_tokens, check_bytes}) check(run, findings);
  return findings.count() > 0 ? 1 : 0;
}
