# SPDX-License-Identifier: Apache-2.0
# Run at build time: writes OUTPUT with the git revision of SOURCE_DIR, only when it changed.
execute_process(COMMAND git -C ${SOURCE_DIR} rev-parse HEAD OUTPUT_VARIABLE revision ERROR_QUIET RESULT_VARIABLE failed
  OUTPUT_STRIP_TRAILING_WHITESPACE)
set(dirty false)
if(failed)
  set(revision "")
else()
  execute_process(COMMAND git -C ${SOURCE_DIR} status --porcelain OUTPUT_VARIABLE changes ERROR_QUIET)
  if(changes)
    set(dirty true)
  endif()
endif()
file(CONFIGURE OUTPUT ${OUTPUT} @ONLY CONTENT
"#include \"cli/build_info.hpp\"

namespace tileloom::cli {
const char* const git_revision = \"${revision}\";
const bool git_dirty = ${dirty};
}  // namespace tileloom::cli
")
