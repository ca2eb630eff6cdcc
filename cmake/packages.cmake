# Debian packages, made by `cpack` in the build folder: servecast, servecast-gui (where Qt was found), libservecast-dev.
# What they depend on beyond each other is read from the programs by dpkg-shlibdeps.
set(servecast_changelog ${PROJECT_BINARY_DIR}/generated/changelog.gz)
add_custom_command(OUTPUT ${servecast_changelog} DEPENDS ${PROJECT_SOURCE_DIR}/CHANGELOG.md
  COMMAND gzip -9nc ${PROJECT_SOURCE_DIR}/CHANGELOG.md > ${servecast_changelog} COMMENT "Packing the changelog" VERBATIM)
add_custom_target(servecast_changelog ALL DEPENDS ${servecast_changelog})

# servecast_package(<component> <package> <section> <summary> <description>)
function(servecast_package component package section summary description)
  string(TOUPPER ${component} upper)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${package} PARENT_SCOPE)
  set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${section} PARENT_SCOPE)
  set(CPACK_DEBIAN_${upper}_DESCRIPTION "${summary}\n${description}" PARENT_SCOPE)
  set(CPACK_COMPONENTS_ALL ${CPACK_COMPONENTS_ALL} ${component} PARENT_SCOPE)
  install(FILES ${PROJECT_SOURCE_DIR}/packaging/copyright ${servecast_changelog}
          DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package} COMPONENT ${component})
endfunction()

set(CPACK_COMPONENTS_ALL "")
servecast_package(program servecast science "forecasts LLM serving before you buy a GPU"
  "Latency, throughput, energy and cost of a language model on a cluster, from a traffic trace and a page of YAML.")
servecast_package(dev libservecast-dev libdevel "headers for policies of one's own, loaded by servecast"
  "Routers, batchers and other policies are built as plug-ins with this package, in a folder of one's own.")
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "servecast (= ${PROJECT_VERSION}), cmake, g++, make")
if(TARGET servecast-gui)
  servecast_package(gui servecast-gui science "window for forecasts of LLM serving"
    "Scenarios as forms and text, runs with progress, and their reports as plots and tables.")
  set(CPACK_DEBIAN_GUI_PACKAGE_DEPENDS "servecast (= ${PROJECT_VERSION})")
  install(FILES packaging/servecast-gui.desktop DESTINATION ${CMAKE_INSTALL_DATADIR}/applications COMPONENT gui)
  install(FILES packaging/servecast.svg DESTINATION ${CMAKE_INSTALL_DATADIR}/icons/hicolor/scalable/apps COMPONENT gui)
endif()

set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")  # would stand before that of each package
set(CPACK_GENERATOR DEB)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "The authors of Servecast <servecast@localhost>")
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_VERBATIM_VARIABLES ON)
include(CPack)
