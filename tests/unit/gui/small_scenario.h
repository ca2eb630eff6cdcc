#pragma once
#include <QString>

#include "tests/unit/report/files.h"

namespace servecast::gui {

/// Writes a scenario that runs in a moment, and gives its file.
inline QString write_small_scenario(const TemporaryFolder& folder, const std::string& requests = "50") {
  put_text(folder / "small.yaml",
           "name: small  # a title\n"
           "seed: 3\n"
           "workload:\n"
           "  generate:\n"
           "    requests: " +
               requests +
               "\n"
               "    arrivals: {poisson: {requests_per_s: 5}}\n"
               "    prompt_tokens: {fixed: 200}\n"
               "    output_tokens: {fixed: 20}\n"
               "slo: {ttft_s: 1.0, tpot_s: 0.05}\n"
               "cluster: {node: dgx_h100}\n"
               "pools:\n"
               "  - name: chat\n"
               "    llm: llama-3.1-8b  # small\n"
               "    gpu: h100_sxm_80g\n"
               "    replicas: 2\n");
  return QString::fromStdString((folder / "small.yaml").string());
}

}  // namespace servecast::gui
