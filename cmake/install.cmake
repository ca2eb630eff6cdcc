# `cmake --install`: the program, the bundled scenarios and hardware, shell completion, documents, licence; the window
# (component gui); headers and the CMake package for plug-ins (component dev).
# The program finds its library of scenarios at ../share/servecast/scenarios beside its own folder.
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME program)
install(TARGETS servecast servecast-calibrate RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
if(TARGET servecast-gui)
  install(TARGETS servecast-gui RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT gui)
endif()
install(DIRECTORY scenarios/ DESTINATION ${CMAKE_INSTALL_DATADIR}/servecast/scenarios)
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING PATTERN "*.md" PATTERN "*.svg" PATTERN "*.png"
        PATTERN example-policy EXCLUDE)
install(DIRECTORY docs/example-policy DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/libservecast-dev COMPONENT dev)
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

# For plug-ins: the headers of models/ and the CMake package Servecast.
include(CMakePackageConfigHelpers)
set(servecast_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Servecast)
configure_package_config_file(cmake/package/ServecastConfig.cmake.in ${PROJECT_BINARY_DIR}/generated/ServecastConfig.cmake
  INSTALL_DESTINATION ${servecast_package_dir} PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_BINDIR)
# Headers of one version, and a program that takes no other's.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/generated/ServecastConfigVersion.cmake COMPATIBILITY ExactVersion)
install(DIRECTORY models DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/servecast COMPONENT dev FILES_MATCHING PATTERN "*.h")
install(FILES ${servecast_headers_file} ${PROJECT_BINARY_DIR}/generated/servecast_version.h
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/servecast COMPONENT dev)
install(FILES ${PROJECT_BINARY_DIR}/generated/ServecastConfig.cmake ${PROJECT_BINARY_DIR}/generated/ServecastConfigVersion.cmake
              cmake/package/plugin_card.cpp DESTINATION ${servecast_package_dir} COMPONENT dev)
