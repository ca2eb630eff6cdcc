#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace servecast {

// Models and hardware: the bundled files with the numbers that one compares. Files keep SI units; the tables for
// people do not.

nlohmann::ordered_json llm_items();
nlohmann::ordered_json gpu_items();
nlohmann::ordered_json node_items();
nlohmann::ordered_json fabric_items();
nlohmann::ordered_json engine_items();

std::string llm_table(const nlohmann::ordered_json& items);
std::string gpu_table(const nlohmann::ordered_json& items);
std::string node_table(const nlohmann::ordered_json& items);
std::string fabric_table(const nlohmann::ordered_json& items);
std::string engine_table(const nlohmann::ordered_json& items);

}  // namespace servecast
