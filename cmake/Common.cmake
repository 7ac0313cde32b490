# SPDX-License-Identifier: Apache-2.0
# Language level, warnings, sanitizers, and the one way to add a library or a test.
include(GNUInstallDirs)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

# Warnings and language level of our own code; never part of what a user links.
add_library(tileloom_build_flags INTERFACE)
target_compile_features(tileloom_build_flags INTERFACE cxx_std_20)
target_compile_options(tileloom_build_flags INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wimplicit-fallthrough
    -ffp-contract=off>
  # GCC 12 warns falsely at "text" + std::string (bug 105651); clang-tidy does not know that warning
  $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-restrict -Wno-unknown-warning-option>
  $<$<AND:$<BOOL:${TILELOOM_WERROR}>,$<COMPILE_LANGUAGE:CXX>>:-Werror>)
if(TILELOOM_SANITIZE)
  target_compile_options(tileloom_build_flags INTERFACE
    $<$<COMPILE_LANGUAGE:CXX,C>:-fsanitize=${TILELOOM_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all>
    $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-maybe-uninitialized>)  # false in the library's headers under sanitizers
  target_link_options(tileloom_build_flags INTERFACE -fsanitize=${TILELOOM_SANITIZE})
endif()

# tileloom_library(NAME SOURCES ... [PUBLIC targets...] [PRIVATE targets...])
# A static library `tileloom_NAME` with the alias `tileloom::NAME`.
function(tileloom_library name)
  cmake_parse_arguments(arg "" "" "SOURCES;PUBLIC;PRIVATE" ${ARGN})
  add_library(tileloom_${name} STATIC ${arg_SOURCES})
  add_library(tileloom::${name} ALIAS tileloom_${name})
  set_target_properties(tileloom_${name} PROPERTIES
    EXPORT_NAME ${name} POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  target_compile_features(tileloom_${name} PUBLIC cxx_std_20)
  target_include_directories(tileloom_${name}
    PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
    PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(tileloom_${name} PUBLIC ${arg_PUBLIC}
    PRIVATE $<BUILD_INTERFACE:tileloom_build_flags> ${arg_PRIVATE})
  set_property(GLOBAL APPEND PROPERTY tileloom_installed tileloom_${name})
endfunction()

# tileloom_test(NAME SOURCES ... [LIBRARIES ...] [LABELS ...] [TIMEOUT seconds])
# A GoogleTest program, registered with CTest as one test a program; it fails when it runs no test. Those with the label
# `sanitized` are what `make test` builds (target sanitized_tests) and runs under sanitizers.
function(tileloom_test name)
  cmake_parse_arguments(arg "" "TIMEOUT" "SOURCES;LIBRARIES;LABELS" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/tests)
  target_compile_definitions(${name} PRIVATE TILELOOM_TEST_DATA="${PROJECT_SOURCE_DIR}/tests"
    TILELOOM_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  target_link_libraries(${name} PRIVATE tileloom_build_flags ${arg_LIBRARIES} GTest::gtest GTest::gtest_main)
  add_test(NAME ${name} COMMAND ${name} --gtest_brief=1)
  set_tests_properties(${name} PROPERTIES LABELS "${arg_LABELS}" FAIL_REGULAR_EXPRESSION "Running 0 tests")
  if("sanitized" IN_LIST arg_LABELS)
    if(NOT TARGET sanitized_tests)
      add_custom_target(sanitized_tests)
    endif()
    add_dependencies(sanitized_tests ${name})
  endif()
  if(arg_TIMEOUT)
    set_tests_properties(${name} PROPERTIES TIMEOUT ${arg_TIMEOUT})
  endif()
endfunction()
