#include "sim/report/files/text_file.h"

#include <cerrno>
#include <cstring>
#include <fstream>

#include "models/base/error.h"

namespace servecast {

void write_text(const std::string& file, std::string_view text) {
  std::ofstream out(file, std::ios::binary);
  out.write(text.data(), static_cast<std::streamsize>(text.size()));
  out.close();
  if (!out) throw UserError({file}, std::string("cannot be written: ") + std::strerror(errno));
}

}  // namespace servecast
