# Precompiled headers, for builds that start from nothing (scripts/test): a third less to compile. Off by default, since
# ccache finds objects again only without them, and since they hide a forgotten #include <...>.
option(SERVECAST_PCH "Precompile the headers that most files read" OFF)
set(servecast_std_headers
  <algorithm> <array> <charconv> <cmath> <cstdint> <filesystem> <fstream> <functional> <limits> <map> <memory> <numeric>
  <optional> <set> <span> <sstream> <string> <tuple> <unordered_map> <variant> <vector>)

# servecast_precompile(<target> <headers...>): those of the standard library and these.
function(servecast_precompile target)
  if(SERVECAST_PCH)
    target_precompile_headers(${target} PRIVATE ${servecast_std_headers} ${ARGN})
  endif()
endfunction()
