# cmake -D TOP=<source folder> -D OUTPUT=<file> -P: writes the SHA-256 of all headers of models/, names included, as a
# C++ header.
file(GLOB_RECURSE headers RELATIVE ${TOP} ${TOP}/models/*.h)
list(SORT headers)
set(all "")
foreach(header IN LISTS headers)
  file(SHA256 ${TOP}/${header} digest)
  string(APPEND all "${header} ${digest}\n")
endforeach()
string(SHA256 digest "${all}")
file(WRITE ${OUTPUT}.new "#pragma once

namespace servecast {

inline constexpr char headers_digest[] = \"${digest}\";  // of the headers of models/

}  // namespace servecast
")
file(COPY_FILE ${OUTPUT}.new ${OUTPUT})
file(REMOVE ${OUTPUT}.new)
