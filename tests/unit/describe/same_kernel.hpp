// SPDX-License-Identifier: Apache-2.0
// Two configurations describe the same kernel: the same instructions, and layouts with the same text once evaluated.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "tileloom/trace/kernel.hpp"

namespace tileloom::trace::test {

inline std::string text_of(const std::optional<layout::AnyLayout>& l) {
  return l ? to_string(*l) : "none";
}

inline std::string text_of(const std::optional<TiledCopy>& copy) {
  return copy ? copy->atom().name + " " + to_string(copy->layout_tv()) + " " + to_string(copy->tiler()) : "none";
}

inline std::string text_of(const std::optional<KernelConfig::Raster>& raster) {
  return raster ? raster->along + " " + std::to_string(raster->width) : "none";
}

inline void expect_same_kernel(const KernelConfig& expected, const KernelConfig& found) {
  SCOPED_TRACE(expected.name);
  EXPECT_EQ(found.name, expected.name);
  EXPECT_EQ(found.arch, expected.arch);
  EXPECT_EQ(found.stages, expected.stages);
  EXPECT_EQ(found.types, expected.types);
  EXPECT_EQ(found.accumulate, expected.accumulate);
  EXPECT_EQ(found.tile, expected.tile);
  EXPECT_EQ(found.gmem, expected.gmem);
  EXPECT_EQ(found.smem_at, expected.smem_at);
  EXPECT_EQ(text_of(found.raster), text_of(expected.raster));
  EXPECT_EQ(found.mma.atom_layout, expected.mma.atom_layout);
  EXPECT_EQ(found.mma.permutation, expected.mma.permutation);
  const Kernel a = build_kernel(expected);
  const Kernel b = build_kernel(found);
  EXPECT_EQ(b.mma.atom().name, a.mma.atom().name);
  EXPECT_EQ(b.shared_bytes, a.shared_bytes);
  for (const Operand o : {Operand::a, Operand::b, Operand::c}) {
    SCOPED_TRACE(letter(o));
    EXPECT_EQ(to_string(b.mma.layout_tv(o)), to_string(a.mma.layout_tv(o)));
    EXPECT_EQ(text_of(b.path(o).shared), text_of(a.path(o).shared));
    EXPECT_EQ(b.path(o).shared_at, a.path(o).shared_at);
    EXPECT_EQ(text_of(b.path(o).fill), text_of(a.path(o).fill));
    EXPECT_EQ(text_of(b.path(o).drain), text_of(a.path(o).drain));
  }
}

}  // namespace tileloom::trace::test
