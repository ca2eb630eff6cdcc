#include "sim/reproduce/reproduction.h"

namespace servecast {

// One per file in systems/.
namespace s1_vllm {
PaperSystem all_figures();
}
namespace s2_anyscale {
PaperSystem all_figures();
}
namespace s3_vllm_useful_kv {
PaperSystem all_figures();
}
namespace s4_sarathi {
PaperSystem all_figures();
}
namespace s5_distserve {
PaperSystem all_figures();
}
namespace s6_semi_pd {
PaperSystem all_figures();
}
namespace s7_semi_pd_sglang {
PaperSystem all_figures();
}
namespace s8_mooncake_capacity {
PaperSystem all_figures();
}
namespace s9_mooncake_schedulers {
PaperSystem all_figures();
}
namespace s10_mooncake_cache {
PaperSystem all_figures();
}
namespace s11_mooncake_split {
PaperSystem all_figures();
}
namespace s12_early_rejection {
PaperSystem all_figures();
}
namespace s13_splitwise {
PaperSystem all_figures();
}
namespace s14_llumnix {
PaperSystem all_figures();
}
namespace s15_spec_ee {
PaperSystem all_figures();
}
namespace s16_buddymoe {
PaperSystem all_figures();
}
namespace moe_infinity {
PaperSystem all_figures();
}
namespace expert_weave {
PaperSystem all_figures();
}
namespace s17_sglang_router {
PaperSystem all_figures();
}
namespace s18_deepseek {
PaperSystem all_figures();
}
namespace s19_routellm {
PaperSystem all_figures();
}
namespace s20_fast_slow {
PaperSystem all_figures();
}
namespace frugalgpt {
PaperSystem all_figures();
}

std::vector<PaperSystem> paper_systems() {
  return {s1_vllm::all_figures(),
          s2_anyscale::all_figures(),
          s3_vllm_useful_kv::all_figures(),
          s4_sarathi::all_figures(),
          s5_distserve::all_figures(),
          s6_semi_pd::all_figures(),
          s7_semi_pd_sglang::all_figures(),
          s8_mooncake_capacity::all_figures(),
          s9_mooncake_schedulers::all_figures(),
          s10_mooncake_cache::all_figures(),
          s11_mooncake_split::all_figures(),
          s12_early_rejection::all_figures(),
          s13_splitwise::all_figures(),
          s14_llumnix::all_figures(),
          s15_spec_ee::all_figures(),
          s16_buddymoe::all_figures(),
          moe_infinity::all_figures(),
          expert_weave::all_figures(),
          s17_sglang_router::all_figures(),
          s18_deepseek::all_figures(),
          s19_routellm::all_figures(),
          s20_fast_slow::all_figures(),
          frugalgpt::all_figures()};
}

}  // namespace servecast
