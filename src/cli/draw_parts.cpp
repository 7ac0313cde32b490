// SPDX-License-Identifier: Apache-2.0
#include "cli/draw_parts.hpp"

#include <fmt/format.h>

#include "cli/arguments.hpp"
#include "render/draw/layout_pictures.hpp"
#include "render/draw/owner_pictures.hpp"
#include "tileloom/error.hpp"

namespace tileloom::cli {

using layout::AnyLayout;
using render::draw::Picture;
using trace::Kernel;
using trace::Operand;
using trace::OperandPath;

namespace {

const std::vector<std::string> parts{"mma",   "atom",  "smem.A", "smem.B",       "smem.C",       "g2s.A",
                                     "g2s.B", "s2r.A", "s2r.B",  "epilogue.r2s", "epilogue.s2g", "epilogue.r2g"};

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

}  // namespace

void only_with(bool given, const std::string& option, const std::string& what) {
  if (given) {
    throw Error(ErrorKind::bad_input, option + ": only with " + what);
  }
}

void check_part(const std::string& part, bool bank) {
  (void)parse_word("--part", part, parts);
  only_with(bank && !part.starts_with("smem"), "--bank", "an expression, or --part smem.A, smem.B or smem.C");
}

Picture part_picture(const Kernel& kernel, const std::string& part, bool bank) {
  check_part(part, bank);
  if (part == "mma") {
    return render::draw::mma_picture(kernel.mma, kernel.config.name);
  }
  if (part == "atom") {
    return render::draw::mma_picture(kernel.mma.atom());
  }
  const Operand operand = part.ends_with("A") ? Operand::a : part.ends_with("B") ? Operand::b : Operand::c;
  const OperandPath& path = kernel.path(operand);
  if (part.starts_with("smem")) {
    return shared_picture(kernel, path, part, bank);
  }
  if (part.starts_with("epilogue") && part.ends_with("r2g") != kernel.config.r2g.has_value()) {
    no_part(kernel, part);
  }
  const bool fills = part.starts_with("g2s") || part.ends_with("r2s");
  return copy_part(kernel, fills ? path.fill : path.drain, part);
}

}  // namespace tileloom::cli
