#pragma once
#include <memory>

#include "sim/input/trace/formats/trace_format.h"

namespace servecast {

// One file each; trace_format.cpp lists them.
std::unique_ptr<TraceFormat> make_azure_format();
std::unique_ptr<TraceFormat> make_bailian_format();
std::unique_ptr<TraceFormat> make_burstgpt_format();
std::unique_ptr<TraceFormat> make_claude_code_csv_format();
std::unique_ptr<TraceFormat> make_claude_code_json_format();
std::unique_ptr<TraceFormat> make_llmservingsim_format();
std::unique_ptr<TraceFormat> make_mooncake_format();
std::unique_ptr<TraceFormat> make_ragpulse_format();
std::unique_ptr<TraceFormat> make_servecast_csv_format();
std::unique_ptr<TraceFormat> make_servecast_jsonl_format();
std::unique_ptr<TraceFormat> make_vidur_format();

}  // namespace servecast
