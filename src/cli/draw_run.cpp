// SPDX-License-Identifier: Apache-2.0
#include "cli/draw_run.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "cli/arguments.hpp"
#include "cli/draw_parts.hpp"
#include "render/draw/layout_pictures.hpp"
#include "render/draw/owner_pictures.hpp"
#include "tileloom/error.hpp"
#include "tileloom/layout/expression.hpp"

namespace tileloom::cli {

using layout::AnyLayout;
using layout::Layout;
using layout::Value;
using render::draw::Picture;

namespace {

bool is_file(const std::string& text) {
  std::error_code ignored;
  return text == "-" || text.ends_with(".json") || std::filesystem::is_regular_file(text, ignored);
}

// Names of instructions have neither parentheses nor colons, `::` aside.
bool is_expression(const std::string& text) {
  const std::size_t colon = text.find(':');
  return text.find('(') != std::string::npos || text.starts_with("Sw<") ||
         (colon != std::string::npos && text.substr(colon, 2) != "::");
}

Picture kernel_picture(const DrawOptions& o) {
  only_with(!o.tile.empty(), "--tv", "an expression");
  only_with(!o.bits.empty(), "--bits", "an expression; a kernel says its types");
  const std::string part = o.part.empty() ? "mma" : o.part;
  check_part(part, o.bank);  // before the configuration is read
  return part_picture(load_kernel("draw", o.config), part, o.bank);
}

// --- Expressions and instructions --------------------------------------------------------------------------------

AnyLayout layout_of(const std::string& text) {
  const Value v = layout::evaluate(text);
  if (const auto* plain = std::get_if<Layout>(&v)) {
    return *plain;
  }
  if (const auto* swizzled = std::get_if<layout::ComposedLayout>(&v)) {
    return *swizzled;
  }
  if (const auto* tensor = std::get_if<layout::Tensor>(&v)) {
    return tensor->layout;
  }
  throw Error(ErrorKind::bad_input,
              fmt::format("draw: the expression is {}, {}; expected a layout", kind_of(v), to_string(v)));
}

Picture expression_picture(const DrawOptions& o) {
  const AnyLayout l = layout_of(o.config.file);
  if (!o.tile.empty()) {
    only_with(o.bank, "--bank", "a layout of offsets, not --tv");
    const auto* tv = std::get_if<Layout>(&l);
    if (tv == nullptr) {
      throw Error(ErrorKind::bad_input, fmt::format("--tv: {} is swizzled, expected a plain layout", to_string(l)));
    }
    const layout::Tree tile = layout::parse_tree(o.tile);
    layout::check_sizes(tile);
    return render::draw::tv_picture(*tv, tile);
  }
  if (o.bank) {
    return render::draw::bank_picture(l, o.bits.empty() ? 16 : static_cast<int>(parse_count("--bits", o.bits, 4, 128)));
  }
  return render::draw::layout_picture(l);
}

Picture atom_picture(const DrawOptions& o) {
  only_with(o.bank, "--bank", "a layout");
  only_with(!o.tile.empty(), "--tv", "an expression");
  const hw::AnyAtom atom = hw::atom(o.config.file);
  return atom.mma != nullptr ? render::draw::mma_picture(*atom.mma) : render::draw::copy_picture(*atom.copy);
}

}  // namespace

Picture picture_of(const DrawOptions& o) {
  const std::string& what = o.config.file;
  if (!names_a_kernel(o.config)) {
    throw Error(ErrorKind::bad_input, "draw: nothing to draw",
                "give a configuration file, a layout, an instruction, or --kernel NAME");
  }
  only_with(!o.bits.empty() && !o.bank, "--bits", "--bank");
  if (!o.config.kernel.empty() || is_file(what)) {
    return kernel_picture(o);
  }
  only_with(!o.part.empty(), "--part", "a kernel");
  only_with(!o.config.settings.empty(), "--set", "a kernel");
  only_with(!o.config.sizes.empty(), "--size", "a kernel");
  return is_expression(what) ? expression_picture(o) : atom_picture(o);
}

}  // namespace tileloom::cli
