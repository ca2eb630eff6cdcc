# Man pages of the programs, made at build time from what each says with --help.
function(servecast_man_page target component)
  set(output ${PROJECT_BINARY_DIR}/man/${target}.1)
  add_custom_command(OUTPUT ${output}
                     COMMAND ${PROJECT_SOURCE_DIR}/cmake/man-page $<TARGET_FILE:${target}> ${PROJECT_VERSION} > ${output}
                     DEPENDS ${target} ${PROJECT_SOURCE_DIR}/cmake/man-page COMMENT "Writing the man page of ${target}" VERBATIM)
  set_property(TARGET servecast_man_pages APPEND PROPERTY SOURCES ${output})
  install(FILES ${output} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT ${component})
endfunction()
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/man)
add_custom_target(servecast_man_pages ALL)
servecast_man_page(servecast program)
servecast_man_page(servecast-calibrate program)
if(TARGET servecast-gui)
  servecast_man_page(servecast-gui gui)
endif()
