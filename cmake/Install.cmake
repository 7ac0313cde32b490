# SPDX-License-Identifier: Apache-2.0
# `find_package(tileloom CONFIG)` gives tileloom::gemm, tileloom::emu, tileloom::layout, ...
include(CMakePackageConfigHelpers)

get_property(libraries GLOBAL PROPERTY tileloom_installed)
install(TARGETS ${libraries} EXPORT tileloom-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/tileloom DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/tileloom)
install(EXPORT tileloom-targets NAMESPACE tileloom:: DESTINATION ${package_dir})
file(WRITE ${PROJECT_BINARY_DIR}/tileloom-config.cmake
"include(CMakeFindDependencyMacro)
find_dependency(Threads)
include(\"\${CMAKE_CURRENT_LIST_DIR}/tileloom-targets.cmake\")
")
write_basic_package_version_file(${PROJECT_BINARY_DIR}/tileloom-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/tileloom-config.cmake ${PROJECT_BINARY_DIR}/tileloom-config-version.cmake
  DESTINATION ${package_dir})
