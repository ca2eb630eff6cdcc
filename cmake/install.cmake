# `cmake --install`: the program, the bundled scenarios and hardware, shell completion, documents, licence.
# The program finds its library of scenarios at ../share/servecast/scenarios beside its own folder.
install(TARGETS servecast servecast-calibrate RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
if(TARGET servecast-gui)
  install(TARGETS servecast-gui RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(DIRECTORY scenarios/ DESTINATION ${CMAKE_INSTALL_DATADIR}/servecast/scenarios)
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING PATTERN "*.md" PATTERN "*.svg" PATTERN "*.png")
install(FILES README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md CITATION.cff LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

# servecast_completion(<shell> <file name> <folder under share>): written by the program itself at build time.
function(servecast_completion shell file folder)
  set(output ${PROJECT_BINARY_DIR}/completion/${file})
  add_custom_command(OUTPUT ${output} COMMAND servecast completion ${shell} > ${output} DEPENDS servecast
                     COMMENT "Writing ${shell} completion" VERBATIM)
  set_property(TARGET servecast_completions APPEND PROPERTY SOURCES ${output})
  install(FILES ${output} DESTINATION ${CMAKE_INSTALL_DATADIR}/${folder})
endfunction()
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/completion)
add_custom_target(servecast_completions ALL)
servecast_completion(bash servecast bash-completion/completions)
servecast_completion(zsh _servecast zsh/site-functions)
servecast_completion(fish servecast.fish fish/vendor_completions.d)
