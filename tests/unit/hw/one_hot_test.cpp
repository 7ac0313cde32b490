// SPDX-License-Identifier: Apache-2.0
// Each instruction that the emulator runs, with one element at a time that is not zero: where it goes is where the
// table says, read from the layouts themselves.
#include "tileloom/hw/instructions.hpp"
#include "tileloom/layout/algebra.hpp"
#include "unit/emu/harness.hpp"

namespace tileloom::emu::test {
namespace {

using U16 = std::uint16_t;
using U32 = std::uint32_t;
using hw::MmaAtom;
using hw::MmaOperand;

// Thread and value of an element, by search of the layout: not by the arrays that the emulator uses.
struct Found {
  int thread, value;
};

Found find(const MmaOperand& o, int threads, std::int64_t element) {
  const std::int64_t n = layout::size(o.tv).value;
  for (std::int64_t i = 0; i < n; ++i) {
    if (o.tv(i) == element) return {static_cast<int>(i) % threads, static_cast<int>(i) / threads};
  }
  ADD_FAILURE() << "no holder of element " << element;
  return {0, 0};
}

// A lane's registers of one operand.
using Registers = std::vector<U32>;  // [lane][register]

void set(Registers& registers, const MmaOperand& o, Found at, U32 bits) {
  const int per = o.per_register();
  registers[static_cast<std::size_t>(at.thread * o.registers + at.value / per)] |=
      bits << (at.value % per * hw::bits(o.type));
}

U32 get(const Registers& registers, const MmaOperand& o, Found at) {
  const int per = o.per_register();
  const U32 word = registers[static_cast<std::size_t>(at.thread * o.registers + at.value / per)];
  return per == 1 ? word : word >> (at.value % per * 16) & 0xFFFFU;
}

std::string list(const char* letter, int count) {
  std::string text = "{";
  for (int i = 0; i < count; ++i) text += (i > 0 ? ", %" : "%") + std::string(letter) + std::to_string(i);
  return text + "}";
}

std::string move_all(const char* instruction, const char* letter, int count, bool store) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    const std::string reg = "%" + std::string(letter) + std::to_string(i);
    const std::string at = "[%q_" + std::string(letter) + "+" + std::to_string(4 * i) + "]";
    text += "  " + std::string(instruction) + " " + (store ? at + ", " + reg : reg + ", " + at) + ";\n";
  }
  return text;
}

std::string kernel_of(const MmaAtom& x) {
  std::string text(header);
  text +=
      ".visible .entry k(.param .u64 p_a, .param .u64 p_b, .param .u64 p_c)\n{\n"
      "  .reg .b32 %a<8>, %b<8>, %c<8>, %t; .reg .b64 %q_a, %q_b, %q_c, %w;\n  mov.u32 %t, %tid.x;\n";
  const std::pair<const char*, int> operands[] = {{"a", x.a.registers}, {"b", x.b.registers}, {"c", x.c.registers}};
  for (const auto& [letter, count] : operands) {
    const std::string q = std::string("%q_") + letter;
    text += "  ld.param.u64 " + q + ", [p_" + letter + "]; mul.wide.u32 %w, %t, " + std::to_string(4 * count) +
            "; add.u64 " + q + ", " + q + ", %w;\n" + move_all("ld.global.b32", letter, count, false);
  }
  return text + "  " + x.ptx + " " + list("c", x.c.registers) + ", " + list("a", x.a.registers) + ", " +
         list("b", x.b.registers) + ", " + list("c", x.c.registers) + ";\n" +
         move_all("st.global.b32", "c", x.c.registers, true) + "  ret;\n}\n";
}

Registers run_mma(const Module& module, Registers a, Registers b, Registers c) {
  Memory memory;
  Arguments arguments(module.kernel("k"));
  arguments.set(0, memory.wrap_read_only(std::as_bytes(std::span(a)), "a"));
  arguments.set(1, memory.wrap_read_only(std::as_bytes(std::span(b)), "b"));
  arguments.set(2, memory.wrap(std::as_writable_bytes(std::span(c)), "c"));
  launch(module, "k", {.block = {32}, .host_threads = 1}, arguments.bytes(), memory);
  return c;
}

U32 one(hw::ElementType type) {
  switch (type) {
    case hw::ElementType::f16:
      return 0x3C00;
    case hw::ElementType::bf16:
      return 0x3F80;
    default:
      return 0x3F800000;
  }
}

class OneHotMma : public testing::TestWithParam<const char*> {};

// A(m,k) = B(n,k) = 1 gives D(m,n) = 1 and nothing else; C(m,n) = 1 gives the same.
TEST_P(OneHotMma, TheProductIsWhereTheTableSays) {
  const MmaAtom& x = hw::mma_atom(GetParam());
  const Module module = Module::from_ptx(kernel_of(x), "one_hot.ptx");
  const auto zeros = [&](const MmaOperand& o) { return Registers(static_cast<std::size_t>(32 * o.registers), 0); };
  for (int m = 0; m < x.m; ++m) {
    for (int k = 0; k < x.k; ++k) {
      const int n = (3 * m + k) % x.n;
      Registers a = zeros(x.a);
      Registers b = zeros(x.b);
      Registers expected = zeros(x.d);
      set(a, x.a, find(x.a, 32, m + x.m * k), one(x.a.type));
      set(b, x.b, find(x.b, 32, n + x.n * k), one(x.b.type));
      set(expected, x.d, find(x.d, 32, m + x.m * n), one(x.d.type));
      ASSERT_EQ(run_mma(module, a, b, zeros(x.c)), expected) << m << "," << n << "," << k;
    }
  }
  for (int e = 0; e < x.m * x.n; ++e) {
    Registers c = zeros(x.c);
    set(c, x.c, find(x.c, 32, e), one(x.c.type));
    ASSERT_EQ(run_mma(module, zeros(x.a), zeros(x.b), c), c);
    ASSERT_EQ(get(c, x.d, find(x.d, 32, e)), one(x.d.type));
  }
}

INSTANTIATE_TEST_SUITE_P(All, OneHotMma,
                         testing::Values("SM80_16x8x16_F16F16F16F16_TN", "SM80_16x8x16_F32F16F16F32_TN",
                                         "SM80_16x8x16_F32BF16BF16F32_TN"));

// --- ldmatrix, stmatrix ------------------------------------------------------------------------------------------

constexpr int box_bytes = 32 * 16;

// Copies a box to shared memory, moves it through registers, and gives both registers and shared memory back. Each
// lane's row is at 16 * lane.
std::string matrix_kernel(const hw::CopyAtom& x, int count) {
  const bool loads = x.kind == hw::CopyKind::ldmatrix;
  std::string text = ".version 8.0\n.target sm_90\n.address_size 64\n";
  text += R"(.visible .entry k(.param .u64 p_box, .param .u64 p_r)
{
  .reg .b32 %r<8>, %t, %s, %x<4>; .reg .b64 %q_box, %q_r, %w; .shared .align 16 .b8 box[512];
  mov.u32 %t, %tid.x; mov.u32 %s, box; shl.b32 %x0, %t, 4; add.u32 %s, %s, %x0;
  ld.param.u64 %q_box, [p_box]; mul.wide.u32 %w, %t, 16; add.u64 %q_box, %q_box, %w;
  ld.param.u64 %q_r, [p_r]; mul.wide.u32 %w, %t, 16; add.u64 %q_r, %q_r, %w;
  ld.global.v4.b32 {%x0, %x1, %x2, %x3}, [%q_box];
  st.shared.v4.b32 [%s], {%x0, %x1, %x2, %x3};
  bar.sync 0;
)";
  if (loads) {
    text += "  " + x.ptx + " " + list("r", count) + ", [%s];\n" + move_all("st.global.b32", "r", count, true);
  } else {
    text += move_all("ld.global.b32", "r", count, false) + "  " + x.ptx + " [%s], " + list("r", count) +
            ";\n  bar.sync 0;\n  ld.shared.v4.b32 {%x0, %x1, %x2, %x3}, [%s];\n"
            "  st.global.v4.b32 [%q_box], {%x0, %x1, %x2, %x3};\n";
  }
  return text + "  ret;\n}\n";
}

struct Box {
  std::vector<U16> shared = std::vector<U16>(box_bytes / 2, 0);
  std::vector<U16> registers = std::vector<U16>(32 * 8, 0);  // [lane][register][half]
  bool operator==(const Box&) const = default;
};

Box run_matrix(const Module& module, Box box) {
  Memory memory;
  Arguments arguments(module.kernel("k"));
  arguments.set(0, memory.wrap(std::as_writable_bytes(std::span(box.shared)), "box"));
  arguments.set(1, memory.wrap(std::as_writable_bytes(std::span(box.registers)), "registers"));
  launch(module, "k", {.block = {32}, .host_threads = 1}, arguments.bytes(), memory);
  return box;
}

TEST(OneHotMatrix, EveryHalfIsWhereTheTableSays) {
  int forms = 0;
  for (const hw::CopyAtom& x : hw::copy_atoms()) {
    const bool loads = x.kind == hw::CopyKind::ldmatrix;
    if (!loads && x.kind != hw::CopyKind::stmatrix) continue;
    ++forms;
    const layout::Layout& in_registers = loads ? x.destination_bits : x.source_bits;
    const layout::Layout& in_shared = loads ? x.source_bits : x.destination_bits;
    const int halves = static_cast<int>(layout::size(layout::LayoutRef(in_registers)[1]).value) / 16;
    const Module module = Module::from_ptx(matrix_kernel(x, halves / 2), "one_hot.ptx");
    for (int lane = 0; lane < 32; ++lane) {
      for (int half = 0; half < halves; ++half) {
        const std::int64_t bit = in_registers(lane + 32 * (16 * half));
        std::int64_t i = 0;  // the first lane and bit in shared memory that is this one
        std::int64_t giver = 0;
        for (; giver < 32; ++giver) {
          for (i = 0; i < 128 && in_shared(giver + 32 * i) != bit; ++i) {
          }
          if (i < 128) break;
        }
        ASSERT_LT(giver, 32) << x.name;
        Box box;
        Box expected;
        const auto at_shared = static_cast<std::size_t>(giver * 8 + i / 16);
        const auto at_register = static_cast<std::size_t>(lane * 8 + half);
        (loads ? box.shared[at_shared] : box.registers[at_register]) = 0xBEEF;
        expected.shared[at_shared] = 0xBEEF;
        expected.registers[at_register] = 0xBEEF;
        ASSERT_EQ(run_matrix(module, box), expected) << x.name << " lane " << lane << " half " << half;
      }
    }
  }
  EXPECT_EQ(forms, 12);
}

}  // namespace
}  // namespace tileloom::emu::test
