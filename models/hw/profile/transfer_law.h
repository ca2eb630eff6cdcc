#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/fields.h"

namespace servecast {

struct Gpu;
struct KernelProfile;

/// What is copied at once, from one memory to another.
struct Copy {
  double bytes = 0;
  double pieces = 1;             // that lie apart in the GPU's memory
  bool side_by_side = false;     // with other copies the same way, on streams of their own
  bool beside_products = false;  // while products keep the SMs busy
  bool pageable = false;         // host memory that is not page-locked
};

/// How long copies one way take, as they were measured: start_s + (pieces - 1) piece_s + bytes / rate, or by a kernel
/// that gathers the pieces, gathered_start_s + bytes / gathered_bytes_per_s, whichever is less, as engines choose
/// (vLLM takes its kernel below 28 KiB a piece, pull request 42212). The rate is bytes_per_s, side by side that of
/// all such copies together, and beside products its stated share. Leaves out: copies the other way at the same time.
struct TransferLaw {
  std::string op{};  // h2d, d2h, d2d or p2p
  bool pageable = false;
  double start_s = 0;
  double bytes_per_s = 0;
  double side_by_side_bytes_per_s = 0;
  double beside_products_fraction = 1;
  double piece_s = 0;
  double gathered_start_s = 0;
  double gathered_bytes_per_s = 0;
  std::string basis{};  // measured, published; derived: of another GPU, scaled to this one's links; data sheet
  std::string source{};
  std::int64_t rows = 0;
  double rms_error = 0;
  double least_bytes = 0;
  double most_bytes = 0;

  /// Of the link, as far as copies can use it.
  double link_bytes_per_s() const;
  /// From the call to the last byte, on an idle link.
  double seconds(const Copy& copy) const;
  /// So many bytes take an idle link of that rate as long as the copy does after start_s: bytes, where nothing slows
  /// it.
  double link_bytes(const Copy& copy, double link_bytes_per_s) const;
  double link_bytes(const Copy& copy) const { return link_bytes(copy, link_bytes_per_s()); }

  void fields(Fields& f) {
    f.required("operator", op, "h2d: from the host; d2h: to it; d2d: within the GPU's memory; p2p: to another GPU");
    f.field("pageable", pageable, "the host's memory is not page-locked");
    f.field("start_s", start_s, "time of a copy of nothing; 0: not known");
    f.required("bytes_per_s", bytes_per_s, "rate of one copy", positive);
    f.field("side_by_side_bytes_per_s", side_by_side_bytes_per_s,
            "of copies on several streams together; 0: not measured, as of one");
    f.field("beside_products_fraction", beside_products_fraction,
            "share of the rate while products keep the SMs busy", positive_fraction);
    f.field("piece_s", piece_s, "what each further piece that lies apart adds; 0: not measured");
    f.field("gathered_start_s", gathered_start_s, "of a kernel that gathers pieces: time of a copy of nothing");
    f.field("gathered_bytes_per_s", gathered_bytes_per_s, "its rate, to the copy's end; 0: not measured");
    f.required("basis", basis,
               "measured: rows of servecast-calibrate or of a benchmark of kernels; published: figures",
               {"measured", "published", "data sheet"});
    f.required("source", source, "whose rows these are");
    f.field("rows", rows, "copies that it was fitted on");
    f.field("rms_error", rms_error, "root mean square of predicted / measured - 1 on them");
    f.field("least_bytes", least_bytes, "the smallest of them");
    f.field("most_bytes", most_bytes, "the largest of them");
  }
};

/// Of one GPU.
struct TransferLaws {
  TransferLaw h2d{};  // page-locked
  TransferLaw d2h{};
  TransferLaw peer{};  // to another GPU over NVLink, where there is any
  std::optional<TransferLaw> h2d_pageable{};

  /// Of a copy from the host. Without measured copies from pageable memory, those from page-locked memory stand for
  /// them; a scenario that asks for pageable memory is refused then.
  const TransferLaw& from_host(const Copy& copy) const { return copy.pageable && h2d_pageable ? *h2d_pageable : h2d; }
  /// To another GPU of the node: over NVLink, else as fast as the slower way over the host's link.
  double peer_bytes_per_s() const;
  double peer_start_s() const { return peer.bytes_per_s > 0 ? peer.start_s : d2h.start_s; }
};

/// Those of the profile; where it has none, or there is no profile (null), the constant of the GPU's file.
TransferLaws transfer_laws(const Gpu& gpu, const KernelProfile* profile);

/// Modes of copies that TransferLaw takes in, and as what.
enum class CopyRole : std::uint8_t { alone, side_by_side, pieces, gathered, beside_products };
struct CopyMode {
  std::string_view op;
  std::string_view mode;
  CopyRole role;
  bool pageable = false;
  std::int64_t piece_count = 0;  // of a copy in equal pieces; 0: the sample's m
};
const CopyMode* copy_mode(std::string_view op, std::string_view mode);
/// Whether samples of this operator become transfer laws, not fits of kernels.
bool is_copy(std::string_view op);

}  // namespace servecast
