# CUDA and Qt 6: what needs them is built where they are found and left out where not, with a line that says so.
# ON instead of AUTO (presets cuda and gui) makes a missing one an error; OFF does not look.
set(SERVECAST_CUDA AUTO CACHE STRING "CUDA kernels and calibrate/measure: AUTO (where found), ON or OFF")
set(SERVECAST_GUI AUTO CACHE STRING "The Qt 6 program: AUTO (where found), ON or OFF")
set_property(CACHE SERVECAST_CUDA SERVECAST_GUI PROPERTY STRINGS AUTO ON OFF)

# Reports `title` and sets <result> to whether `folder` is to be built: wanted by `option`, found, and not empty.
function(servecast_optional result title option found version folder)
  set(${result} FALSE PARENT_SCOPE)
  if(option STREQUAL "OFF")
    message(STATUS "${title}: switched off, ${folder}/ is skipped")
  elseif(NOT found AND option STREQUAL "AUTO")
    message(STATUS "${title}: not found, ${folder}/ is skipped")
  elseif(NOT found)
    message(FATAL_ERROR "${title}: not found, but asked for")
  elseif(NOT EXISTS ${PROJECT_SOURCE_DIR}/${folder}/CMakeLists.txt)
    message(STATUS "${title}: found ${version}, ${folder}/ holds nothing to build yet")
  else()
    message(STATUS "${title}: found ${version}, ${folder}/ is built")
    set(${result} TRUE PARENT_SCOPE)
  endif()
endfunction()

# Looking the toolkit up is quick; trying its compiler takes seconds, so that waits for something to compile.
if(NOT SERVECAST_CUDA STREQUAL "OFF")
  find_package(CUDAToolkit QUIET)
  set(cuda_works ${CUDAToolkit_FOUND})
  if(CUDAToolkit_FOUND AND EXISTS ${PROJECT_SOURCE_DIR}/kernels/CMakeLists.txt)
    include(CheckLanguage)
    set(ENV{CUDACXX} ${CUDAToolkit_NVCC_EXECUTABLE})  # nvcc need not be on the PATH
    check_language(CUDA)
    set(cuda_works ${CMAKE_CUDA_COMPILER})
  endif()
endif()
servecast_optional(SERVECAST_HAS_CUDA "CUDA" "${SERVECAST_CUDA}" "${cuda_works}" "${CUDAToolkit_VERSION}" kernels)

if(NOT SERVECAST_GUI STREQUAL "OFF")
  find_package(Qt6 QUIET COMPONENTS Widgets Svg Test LinguistTools)
endif()
servecast_optional(SERVECAST_HAS_QT "Qt 6" "${SERVECAST_GUI}" "${Qt6_FOUND}" "${Qt6_VERSION}" gui)

if(SERVECAST_HAS_CUDA)
  enable_language(CUDA)
  set(CMAKE_CUDA_COMPILER_LAUNCHER ${CMAKE_CXX_COMPILER_LAUNCHER})
  add_subdirectory(kernels)
  add_subdirectory(calibrate/measure/cuda)
else()
  add_subdirectory(calibrate/measure/none)  # says that there is no CUDA
endif()
if(SERVECAST_HAS_QT)
  add_subdirectory(gui)
endif()
