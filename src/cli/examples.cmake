# SPDX-License-Identifier: Apache-2.0
# Makes the sources of cli/examples.hpp: the first ```sh block of every page of docs/cli.
# tileloom_help_examples(OUTPUT directory-of-pages)
function(tileloom_help_examples output pages)
  file(GLOB files CONFIGURE_DEPENDS ${pages}/*.md)
  set(branches)
  foreach(file IN LISTS files)
    get_filename_component(name ${file} NAME_WE)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    file(READ ${file} page)
    string(REGEX MATCH "```sh\n([^`]+)```" block "${page}")
    if(block)
      string(REGEX REPLACE "\n([^\n])" "\n  \\1" examples "\n${CMAKE_MATCH_1}")
      string(APPEND branches "  if (name == \"${name}\") {\n    return R\"~(Examples:${examples})~\";\n  }\n")
    endif()
  endforeach()
  file(CONFIGURE OUTPUT ${output} @ONLY CONTENT
"#include \"cli/examples.hpp\"

namespace tileloom::cli {

std::string_view examples_of(std::string_view name) {
${branches}  return \"\";
}

}  // namespace tileloom::cli
")
endfunction()
