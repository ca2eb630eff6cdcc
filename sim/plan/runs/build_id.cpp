#include "sim/plan/runs/build_id.h"

#include <elf.h>
#include <link.h>

#include <cstring>
#include <string_view>

#include "sim/plan/runs/run_key.h"

namespace servecast {
namespace {

std::size_t aligned(std::size_t bytes) { return (bytes + 3) / 4 * 4; }

/// The build id among notes: each a header, a name and a description.
std::string_view id_in(const char* notes, std::size_t size) {
  while (size > sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) note;
    std::memcpy(&note, notes, sizeof note);
    const std::size_t name = aligned(note.n_namesz);
    const std::size_t all = sizeof note + name + aligned(note.n_descsz);
    if (all > size) break;
    if (note.n_type == NT_GNU_BUILD_ID) return {notes + sizeof note + name, note.n_descsz};
    notes += all;
    size -= all;
  }
  return {};
}

/// Called for each loaded object, the program first: a result other than 0 ends it there.
int look_at(dl_phdr_info* object, std::size_t, void* found) {
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = object->dlpi_phdr[i];
    if (part.p_type != PT_NOTE) continue;
    // Where the loader put it is given as a number.
    const char* notes = reinterpret_cast<const char*>(object->dlpi_addr + part.p_vaddr);  // NOLINT
    const std::string_view id = id_in(notes, part.p_memsz);
    if (!id.empty()) *static_cast<std::string*>(found) = id;
  }
  return 1;
}

}  // namespace

std::string build_id() {
  std::string id;
  dl_iterate_phdr(look_at, &id);
  return id.empty() ? FileDigests().of("/proc/self/exe") : id;
}

}  // namespace servecast
