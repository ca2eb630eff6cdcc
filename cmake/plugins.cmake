# Plug-ins: libraries of policies that the program loads. What they are checked against is a digest of the headers of
# models/, which they are compiled with; what they use of models/ is the program's own.

# servecast_headers.h in build/generated: written when a header of models/ has changed.
file(GLOB_RECURSE servecast_model_headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/models/*.h)
set(servecast_headers_file ${PROJECT_BINARY_DIR}/generated/servecast_headers.h)
add_custom_command(OUTPUT ${servecast_headers_file}
  COMMAND ${CMAKE_COMMAND} -D TOP=${PROJECT_SOURCE_DIR} -D OUTPUT=${servecast_headers_file}
          -P ${PROJECT_SOURCE_DIR}/cmake/headers_digest.cmake
  DEPENDS ${servecast_model_headers} ${PROJECT_SOURCE_DIR}/cmake/headers_digest.cmake
  COMMENT "Digest of the headers of models/" VERBATIM)
add_custom_target(servecast_headers_digest DEPENDS ${servecast_headers_file})

# The dynamic symbols of `program`: all that models/ defines, and nothing else. A plug-in finds the registries there, and
# whatever of models/ it calls.
function(servecast_takes_plugins program)
  set(list ${PROJECT_BINARY_DIR}/generated/plugin_symbols.txt)
  set(archives $<TARGET_FILE:servecast_base> $<TARGET_FILE:servecast_hw> $<TARGET_FILE:servecast_policy_files>)
  add_custom_command(OUTPUT ${list}
    COMMAND ${CMAKE_COMMAND} -D NM=${CMAKE_NM} -D "ARCHIVES=${archives}" -D OUTPUT=${list}
            -P ${PROJECT_SOURCE_DIR}/cmake/plugin_symbols.cmake
    DEPENDS servecast_base servecast_hw servecast_policy_files ${PROJECT_SOURCE_DIR}/cmake/plugin_symbols.cmake
    COMMENT "Symbols that plug-ins may use" VERBATIM)
  add_custom_target(${program}_plugin_symbols DEPENDS ${list})
  add_dependencies(${program} ${program}_plugin_symbols)
  # Whole: a plug-in may call what the program itself does not.
  set_target_properties(${program} PROPERTIES LINK_LIBRARY_OVERRIDE "WHOLE_ARCHIVE,servecast_base,servecast_hw")
  target_link_options(${program} PRIVATE LINKER:--dynamic-list=${list})
  set_property(TARGET ${program} APPEND PROPERTY LINK_DEPENDS ${list})
endfunction()
