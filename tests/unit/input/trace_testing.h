#pragma once
#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "sim/input/trace/cache/drain.h"
#include "sim/input/trace/workload/workload_spec.h"
#include "tests/unit/message_of.h"

namespace servecast {

/// A folder that goes away with the test.
class TempFolder {
 public:
  TempFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "servecast_XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~TempFolder() { std::filesystem::remove_all(path_); }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  const std::filesystem::path& path() const { return path_; }

  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name, std::ios::binary) << text;
    return *this / name;
  }
  std::string write_gzip(const std::string& name, const std::string& text) const {
    gzFile file = gzopen((*this / name).c_str(), "wb9");
    gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
    gzclose(file);
    return *this / name;
  }

 private:
  std::filesystem::path path_;
};

inline std::string read_bytes(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// A request with everything that a later one could overwrite.
struct Seen {
  Request request{};
  std::vector<BlockHash> blocks{};
  std::optional<double> think_s{};  // none: it arrived by itself
};

inline std::vector<Seen> read_all(Workload& workload) {
  std::vector<Seen> all;
  drain(workload, [&](const Request& request, std::optional<double> think_s) {
    all.push_back({request, {request.prefix_blocks.begin(), request.prefix_blocks.end()}, think_s});
  });
  return all;
}

/// A workload as a trace file gives it, with the notes that it fills.
struct Opened {
  std::unique_ptr<WorkloadNotes> notes = std::make_unique<WorkloadNotes>();
  std::unique_ptr<Workload> workload{};

  std::vector<Seen> all() { return read_all(*workload); }
};

inline Opened open(const WorkloadSpec& spec, std::uint64_t seed = 1, const std::filesystem::path& base_folder = {}) {
  Opened opened;
  opened.workload = make_workload(
      spec, {.seed = seed, .base_folder = base_folder, .pools = {"first", "second"}, .notes = opened.notes.get()});
  return opened;
}

inline WorkloadSpec trace_spec(const std::string& file, const std::string& format = "auto") {
  WorkloadSpec spec;
  spec.source.trace = TraceSpec{.path = file, .format = format};
  return spec;
}
inline Opened open_file(const std::string& file, const std::string& format = "auto") {
  return open(trace_spec(file, format));
}

inline std::string data_folder() {
  const char* given = std::getenv("SERVECAST_DATA");
  return given ? given : SERVECAST_SOURCE_DIR "/../shared/data";
}
/// A file of the real traces; tests skip where it is missing.
inline std::optional<std::string> real_trace(const std::string& name) {
  const std::string file = data_folder() + "/traces/" + name;
  if (!std::filesystem::exists(file)) return std::nullopt;
  return file;
}

}  // namespace servecast
