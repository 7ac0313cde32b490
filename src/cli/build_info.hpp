// SPDX-License-Identifier: Apache-2.0
// What this program was built from.
#pragma once

namespace tileloom::cli {

extern const char* const git_revision;  // 40 hex digits; empty when the sources were no git checkout
extern const bool git_dirty;            // whether files differed from that revision

}  // namespace tileloom::cli
