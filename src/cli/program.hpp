// SPDX-License-Identifier: Apache-2.0
// The `tileloom` program: verbs, errors, exit codes.
#pragma once

namespace tileloom::cli {

// Exit codes: 0 done, 1 a check failed or a result was wrong, 2 usage or bad input, 3 cannot run here, 4 I/O.
[[nodiscard]] int run_program(int argc, char** argv);

}  // namespace tileloom::cli
