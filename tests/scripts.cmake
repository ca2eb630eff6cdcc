# Tests that run the program from outside, by the scripts beside this file. Included by tests/CMakeLists.txt.
#   servecast_script_test(<name> <label> <script> <arguments...>)
function(servecast_script_test name label script)
  add_test(NAME ${name} COMMAND ${CMAKE_CURRENT_LIST_DIR}/${script}.sh ${ARGN})
  set_tests_properties(${name} PROPERTIES LABELS ${label} TIMEOUT ${SERVECAST_TEST_TIMEOUT_S})
endfunction()

set(program $<TARGET_FILE:servecast>)
set(here ${CMAKE_CURRENT_LIST_DIR})
set(flagship ${PROJECT_SOURCE_DIR}/scenarios/chat.yaml)

# tests/golden/<name>.json is what tests/golden/<name>.yaml gives.
file(GLOB scenarios CONFIGURE_DEPENDS ${here}/golden/*.yaml)
foreach(scenario IN LISTS scenarios)
  get_filename_component(name ${scenario} NAME_WE)
  servecast_script_test(golden.${name} quick golden ${program} ${scenario} ${here}/golden/${name}.json)
  servecast_script_test(determinism.${name} quick determinism ${program} ${scenario})
endforeach()
servecast_script_test(determinism.chat quick determinism ${program} ${flagship})

# Broken scenarios, and broken traces with the message expected in <file>.expect.
file(GLOB broken CONFIGURE_DEPENDS ${here}/data/bad/*.yaml ${here}/data/bad/traces/*)
list(FILTER broken EXCLUDE REGEX "\\.expect$")
foreach(file IN LISTS broken)
  get_filename_component(name ${file} NAME)
  servecast_script_test(bad_input.${name} quick bad_input ${program} ${file})
endforeach()

servecast_script_test(interrupt quick interrupt ${program} ${flagship} ${here}/data/long.yaml)
servecast_script_test(resume quick resume ${program} ${flagship})
servecast_script_test(readme quick readme ${program} ${PROJECT_SOURCE_DIR})
servecast_script_test(install quick install ${PROJECT_BINARY_DIR} ${PROJECT_VERSION})
servecast_script_test(layers quick layers ${PROJECT_SOURCE_DIR})
servecast_script_test(slurm full slurm ${program} ${flagship})
set_tests_properties(slurm PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 900)
servecast_script_test(accuracy full accuracy $<TARGET_FILE:servecast-calibrate> ${PROJECT_SOURCE_DIR})
set_tests_properties(accuracy PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 1800)
