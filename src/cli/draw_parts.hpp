// SPDX-License-Identifier: Apache-2.0
// Pictures of the parts of a kernel.
#pragma once

#include <string>

#include "render/draw/picture.hpp"
#include "tileloom/trace/kernel.hpp"

namespace tileloom::cli {

// mma, atom, smem.A ... `bank`: coloured by banks. Throws Error(bad_input) for another word and for
// banks of what is not in shared memory.
void check_part(const std::string& part, bool bank);
// The same, and for a part that the kernel does not have.
[[nodiscard]] render::draw::Picture part_picture(const trace::Kernel& kernel, const std::string& part, bool bank);

// Throws Error(bad_input) where an option is given that belongs to something else.
void only_with(bool given, const std::string& option, const std::string& what);

}  // namespace tileloom::cli
