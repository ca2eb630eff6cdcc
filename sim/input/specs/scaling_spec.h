#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "models/base/fields.h"

namespace servecast {

/// A new replica computes copies of some of the pool's prompts before it serves.
struct MirrorSpec {
  double fraction = 0.05;
  double for_s = 0;

  void fields(Fields& f) {
    f.field("fraction", fraction, "share of the pool's requests of which it gets a copy", positive_fraction);
    f.required("for_s", for_s, "for how long, from when it could serve", positive);
  }
};

/// A replica starts from an image of a process that served, its GPUs' memory included.
struct SnapshotSpec {
  double bytes = 0;
  std::optional<double> restore_s{};

  void fields(Fields& f) {
    f.required("bytes", bytes, "of a replica, fetched from shared storage in place of the weights", positive);
    f.field(
        "restore_s", restore_s,
        "from its arrival until the replica serves, in place of an engine's start; left out: as long as each GPU's "
        "part takes over PCIe");
  }
};

/// How the replicas that a pool's autoscaler wants come and go.
struct ScalingSpec {
  std::int64_t min_replicas = 1;
  std::optional<std::int64_t> start_replicas{};
  double provision_s = 0;
  double image_bytes = 0;
  std::optional<double> image_bytes_per_s{};
  std::optional<double> imports_s{};
  std::optional<double> gpu_load_bytes_per_s{};
  std::optional<double> engine_init_s{};
  std::optional<SnapshotSpec> snapshot{};
  std::int64_t warm_replicas = 0;
  std::optional<double> warm_start_s{};
  std::string drain = "finish";
  std::optional<MirrorSpec> mirror{};

  void fields(Fields& f) {
    f.field("min_replicas", min_replicas,
            "that always serve; 0: the pool may be switched off. The most is `replicas`");
    f.field("start_replicas", start_replicas, "that serve at the start of the run; left out: min_replicas");
    f.field("provision_s", provision_s, "until a new replica has its machine; its rent begins at once");
    f.field("image_bytes", image_bytes,
            "container image that its machine then fetches from shared storage; 0: it is there");
    f.field("image_bytes_per_s", image_bytes_per_s,
            "rate at which its machine unpacks the image, fetching it meanwhile; left out: as it arrives", positive);
    f.field("imports_s", imports_s,
            "process start and imports of its program; not of a snapshot; left out: the engine's");
    f.field("gpu_load_bytes_per_s", gpu_load_bytes_per_s,
            "rate at which weights that have arrived get into the memory of each GPU; left out: as the engine loads "
            "them",
            positive);
    f.group("snapshot", snapshot, "start from a snapshot; left out: load the weights and start the engine");
    f.field("engine_init_s", engine_init_s,
            "from then until it serves: graphs are compiled and captured, memory is measured; left out: the engine's "
            "for this model, without a cache of compiled graphs");
    f.field("warm_replicas", warm_replicas, "beside those that serve, kept running without requests, and paid for");
    f.field(
        "warm_start_s", warm_start_s,
        "with warm_replicas: until such a one serves; left out: as long as its weights take from host memory over "
        "PCIe, as with vLLM's sleep level 1");
    f.field("drain", drain,
            "a replica that is to go takes no new requests. finish: it serves those it has; migrate: they move to "
            "others while they decode, as the pool's migration does it",
            {"finish", "migrate"});
    f.group(
        "mirror", mirror,
        "a new replica first computes copies of some prompts, which fills its prefix cache; left out: it serves at "
        "once");
  }
};

}  // namespace servecast
