// SPDX-License-Identifier: Apache-2.0
#include "cli/draw_run.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "cli/arguments.hpp"
#include "render/draw/layout_pictures.hpp"
#include "render/draw/owner_pictures.hpp"
#include "tileloom/error.hpp"
#include "tileloom/layout/expression.hpp"

namespace tileloom::cli {

using layout::AnyLayout;
using layout::Layout;
using layout::Value;
using render::draw::Picture;
using trace::Kernel;
using trace::Operand;
using trace::OperandPath;

namespace {

const std::vector<std::string> parts{"mma",   "atom",  "smem.A", "smem.B",       "smem.C",       "g2s.A",
                                     "g2s.B", "s2r.A", "s2r.B",  "epilogue.r2s", "epilogue.s2g", "epilogue.r2g"};

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

void only_with(bool given, const std::string& option, const std::string& what) {
  if (given) {
    throw Error(ErrorKind::bad_input, option + ": only with " + what);
  }
}

// --- Kernels -----------------------------------------------------------------------------------------------------

[[noreturn]] void no_part(const Kernel& kernel, const std::string& part) {
  throw Error(ErrorKind::bad_input,
              fmt::format("--part: the configuration {}has no {}",
                          kernel.config.name.empty() ? "" : kernel.config.name + " ", part),
              "tileloom trace lists the kernel's stages");
}

std::string title(const Kernel& kernel, const std::string& what) {
  return kernel.config.name.empty() ? what : kernel.config.name + ": " + what;
}

// The tile of one stage, or the epilogue's first slab.
AnyLayout one_stage(const AnyLayout& shared) {
  if (domain(shared).rank() < 3) {
    return shared;
  }
  const layout::Int all = layout::Int::make_any();
  return slice_and_offset(layout::Tree::tuple({all, all, layout::static_0}), shared).layout;
}

Picture shared_picture(const Kernel& kernel, const OperandPath& path, const std::string& part, bool bank) {
  if (!path.shared) {
    no_part(kernel, part);
  }
  const AnyLayout tile = one_stage(*path.shared);
  Picture p = bank ? render::draw::bank_picture(tile, path.bits) : render::draw::layout_picture(tile);
  p.notes.insert(p.notes.begin(), p.title);
  p.title = title(kernel, "s" + part.substr(part.size() - 1) + (domain(*path.shared).rank() < 3 ? "" : ", stage 0"));
  return p;
}

Picture copy_part(const Kernel& kernel, const std::optional<trace::TiledCopy>& copy, const std::string& part) {
  if (!copy) {
    no_part(kernel, part);
  }
  return render::draw::copy_picture(*copy, title(kernel, part));
}

Picture kernel_picture(const DrawOptions& o) {
  only_with(!o.tile.empty(), "--tv", "an expression");
  only_with(!o.bits.empty(), "--bits", "an expression; a kernel says its types");
  const std::string part = o.part.empty() ? "mma" : o.part;
  (void)parse_word("--part", part, parts);
  only_with(o.bank && !part.starts_with("smem"), "--bank", "an expression, or --part smem.A, smem.B or smem.C");
  const Kernel kernel = load_kernel("draw", o.config);
  if (part == "mma") {
    return render::draw::mma_picture(kernel.mma, kernel.config.name);
  }
  if (part == "atom") {
    return render::draw::mma_picture(kernel.mma.atom());
  }
  const Operand operand = part.ends_with("A") ? Operand::a : part.ends_with("B") ? Operand::b : Operand::c;
  const OperandPath& path = kernel.path(operand);
  if (part.starts_with("smem")) {
    return shared_picture(kernel, path, part, o.bank);
  }
  if (part.starts_with("epilogue") && part.ends_with("r2g") != kernel.config.r2g.has_value()) {
    no_part(kernel, part);
  }
  const bool fills = part.starts_with("g2s") || part.ends_with("r2s");
  return copy_part(kernel, fills ? path.fill : path.drain, part);
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
