#pragma once
#include <span>
#include <string>

#include "models/base/record.h"
#include "sim/report/run_facts.h"
#include "sim/report/series.h"

namespace servecast {

inline constexpr std::string_view requests_header =
    "request_id,arrival_s,scheduled_s,first_token_s,finish_s,prompt_tokens,output_tokens,pool,replica,preemptions,"
    "status";
inline constexpr std::string_view series_header =
    "time_s,pool,arrivals,running,waiting,kv_used_fraction,busy_gpus,prompt_tokens_per_s,output_tokens_per_s,watts,"
    "usd";

/// requests.csv: one row per request in the order given (Recorder: by id). Where some request found tokens in the KV
/// cache, `cached_tokens` follows the columns above, where there are several classes, `class` follows those, and
/// where some were decoded elsewhere than their prompt was computed, `decode_replica` and `hand_over_s`. With a gateway,
/// of which there is then one record for each of the requests, `answered_by`, `passes`, `gateway_s`, `gateway_usd` and
/// `score` come last.
void write_requests_csv(const std::string& file, std::span<const RequestRecord> requests, const RunFacts& facts,
                        std::span<const GatewayRecord> gateway = {});

/// series.csv: one row per second and pool. Where replicas come and go, `rented_gpus` follows the columns above.
void write_series_csv(const std::string& file, std::span<const SeriesRow> rows, const RunFacts& facts);

}  // namespace servecast
