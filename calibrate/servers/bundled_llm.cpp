#include "calibrate/servers/bundled_llm.h"

#include <map>

#include "calibrate/servers/csv_rows.h"

namespace servecast {

std::string bundled_llm(const CsvRow& row) {
  // Llama 3.3 has the shapes of 3.1.
  static const std::map<std::string, std::string> llms{
      {"meta-llama/Llama-2-7b-hf", "llama-2-7b"},
      {"meta-llama/Llama-2-70b-hf", "llama-2-70b"},
      {"codellama/CodeLlama-34b-Instruct-hf", "codellama-34b"},
      {"LLaMA v3 70B", "llama-3-70b"},
      {"LLaMA v3.1 70B", "llama-3.1-70b"},
      {"LLaMA v3.1 8B", "llama-3.1-8b"},
      {"Llama 3.3 70B", "llama-3.1-70b"},
      {"Llama 3.1 8B", "llama-3.1-8b"},
      {"Llama 3.1 405B", "llama-3.1-405b"},
  };
  const auto found = llms.find(row.text("model"));
  if (found == llms.end()) row.fail("no bundled model is known for '" + row.text("model") + "'");
  return found->second;
}

}  // namespace servecast
