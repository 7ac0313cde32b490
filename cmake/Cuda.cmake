# SPDX-License-Identifier: Apache-2.0
# Whether kernels are compiled here, and with what.
#
# TILELOOM_ENABLE_CUDA  AUTO (default): on when nvcc >= 12.4 is on the PATH. ON: an error without it. OFF: never.
# CUTLASS_DIR           a CUTLASS checkout (cache or environment); default .deps/cutlass, which scripts/setup.sh fills.
#                       Missing headers are an error, but in a build of pip: that takes the committed PTX then.
# Sets TILELOOM_CUDA (ON/OFF), TILELOOM_NVCC, TILELOOM_NVCC_VERSION, TILELOOM_CUDA_INCLUDE, TILELOOM_CUTLASS_INCLUDE.
set(TILELOOM_ENABLE_CUDA "AUTO" CACHE STRING "Compile the CUDA kernels: AUTO, ON or OFF")
set_property(CACHE TILELOOM_ENABLE_CUDA PROPERTY STRINGS AUTO ON OFF)
set(CUTLASS_DIR "$ENV{CUTLASS_DIR}" CACHE PATH "CUTLASS source tree; empty: .deps/cutlass")
set(tileloom_min_nvcc 12.4)

set(TILELOOM_CUDA OFF)
if(TILELOOM_ENABLE_CUDA)
  find_program(TILELOOM_NVCC nvcc)
  if(TILELOOM_NVCC)
    execute_process(COMMAND ${TILELOOM_NVCC} --version OUTPUT_VARIABLE nvcc_text ERROR_QUIET)
    string(REGEX MATCH "V([0-9.]+)" nvcc_match "${nvcc_text}")
    set(TILELOOM_NVCC_VERSION "${CMAKE_MATCH_1}")
  endif()
  if(TILELOOM_NVCC_VERSION VERSION_GREATER_EQUAL tileloom_min_nvcc)
    set(TILELOOM_CUDA ON)
  elseif(NOT TILELOOM_ENABLE_CUDA STREQUAL "AUTO")
    message(FATAL_ERROR "TILELOOM_ENABLE_CUDA is ON, which needs nvcc >= ${tileloom_min_nvcc} on the PATH; "
                        "found '${TILELOOM_NVCC_VERSION}'. Use -DTILELOOM_ENABLE_CUDA=OFF to run the committed PTX.")
  endif()
endif()

if(CUTLASS_DIR)
  set(TILELOOM_CUTLASS_INCLUDE ${CUTLASS_DIR}/include)
else()
  set(TILELOOM_CUTLASS_INCLUDE ${PROJECT_SOURCE_DIR}/.deps/cutlass/include)
endif()
if(TILELOOM_CUDA AND NOT EXISTS ${TILELOOM_CUTLASS_INCLUDE}/cute/tensor.hpp)
  if(NOT SKBUILD OR NOT TILELOOM_ENABLE_CUDA STREQUAL "AUTO")
    message(FATAL_ERROR "CUTLASS headers not found: ${TILELOOM_CUTLASS_INCLUDE}/cute/tensor.hpp is missing. "
                        "Run scripts/setup.sh, set CUTLASS_DIR, or use -DTILELOOM_ENABLE_CUDA=OFF.")
  endif()
  set(TILELOOM_CUDA OFF)
endif()

if(TILELOOM_CUDA)
  get_filename_component(nvcc_real ${TILELOOM_NVCC} REALPATH)
  get_filename_component(nvcc_bin ${nvcc_real} DIRECTORY)
  get_filename_component(TILELOOM_CUDA_INCLUDE ${nvcc_bin}/../include ABSOLUTE)
  message(STATUS "Tileloom: CUDA on, nvcc ${TILELOOM_NVCC_VERSION}, CUTLASS in ${TILELOOM_CUTLASS_INCLUDE}")
else()
  message(STATUS "Tileloom: CUDA off, kernels run in the emulator from the committed PTX")
endif()
