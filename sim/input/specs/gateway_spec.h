#pragma once
#include <optional>
#include <string>

#include "models/policy/gateway.h"

namespace servecast {

/// One stage of the gateway.
struct GatewaySpec {
  Choice<GatewayPolicy> stage{};
  void fields(Fields& f) { stage.fields(f); }
};

/// One entry of the table of scores: how good a target's answers are.
struct QualitySpec {
  std::string target;
  std::string request_class;
  double score = 0;
  std::string score_of = "published";
  std::string source;
  void fields(Fields& f) {
    f.required("target", target, "pool or API tier");
    f.field("class", request_class, "class of requests; left out: all that have no entry of their own");
    f.required("score", score, "expected score of its answers: an accuracy, or a mark by the highest one", fraction);
    f.field(
        "score_of", score_of,
        "published: the model with weights as its publisher stores them, so what narrower weights of the pool lose "
        "comes off; served: as the pool has them",
        {"published", "served"});
    f.required("source", source, "where that was published or measured");
  }
};

/// What readers of the answers feel.
struct ReaderSpec {
  std::string request_class;
  std::int64_t first_field_tokens = 20;
  double reading_tokens_per_s = 5.6;
  void fields(Fields& f) {
    f.field("class", request_class, "class of requests; left out: all that have no entry of their own");
    f.field("first_field_tokens", first_field_tokens, "tokens of the answer's first field or line", at_least_one);
    f.field("reading_tokens_per_s", reading_tokens_per_s,
            "how fast the answer is read (250 words a minute, 0.75 words a token: 5.6)", positive);
  }
};

}  // namespace servecast
