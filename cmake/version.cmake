# servecast_version: the library whose one header, "servecast_version.h", holds the version of project().
# No commit id: a clone and a tarball of one commit must write the same bytes into a report.
configure_file(${CMAKE_CURRENT_LIST_DIR}/servecast_version.h.in
               ${PROJECT_BINARY_DIR}/generated/servecast_version.h @ONLY)
add_library(servecast_version INTERFACE)
target_include_directories(servecast_version INTERFACE ${PROJECT_BINARY_DIR}/generated)
