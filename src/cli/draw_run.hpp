// SPDX-License-Identifier: Apache-2.0
// What `tileloom draw` draws, once its arguments are known.
#pragma once

#include <string>

#include "cli/config_options.hpp"
#include "render/draw/picture.hpp"

namespace tileloom::cli {

// As written on the command line; empty: not given.
struct DrawOptions {
  ConfigOptions config;  // `file` is a configuration, an expression or an instruction
  std::string part;      // of a kernel
  std::string tile;      // --tv: the expression is (thread, value) -> element of this tile
  std::string bits;      // of an element, with --bank
  bool bank = false;
};

// Throws Error.
[[nodiscard]] render::draw::Picture picture_of(const DrawOptions& options);

}  // namespace tileloom::cli
