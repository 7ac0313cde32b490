// SPDX-License-Identifier: Apache-2.0
// What compilers write and people seldom do: calls through pointers, lanes that name different masks, wmma.
#include <fmt/format.h>

#include "tileloom/emu/float16.hpp"
#include "unit/emu/harness.hpp"

namespace tileloom::emu::test {
namespace {

using U16 = std::uint16_t;
using U32 = std::uint32_t;

std::vector<std::uint64_t> run_lanes(const std::string& text, unsigned lanes = 32) {
  return run(Module::from_ptx(text, "p.ptx"), std::vector<Inputs>(lanes));
}

// -- Pointers to functions

// f<i> returns 100 * i + its argument.
std::string functions() {
  std::string text(header);
  for (int i = 0; i < 3; ++i) {
    text += fmt::format(R"(.func (.param .b32 r) f{0} (.param .b32 x)
{{ .reg .b32 %a; ld.param.b32 %a, [x]; add.u32 %a, %a, {1}; st.param.b32 [r], %a; ret; }}
)",
                        i, 100 * i);
  }
  return text + R"(.func (.param .b32 r) other (.param .b64 x)
{ st.param.b32 [r], 7; ret; }
.extern .func (.param .b32 r) missing (.param .b32 x);
.global .align 8 .u64 pointers[5] = {f0, f1, f2, other, missing};
)";
}
// Calls the function at %d2 with %t.
constexpr std::string_view call_pointer = R"(
  { .param .b32 x; .param .b32 y; st.param.b32 [x], %t; proto: .callprototype (.param .b32 _) _ (.param .b32 _);
  call (y), %d2, (x), proto; ld.param.b32 %r0, [y]; })";

std::string call_of(const std::string& number) {
  return "mov.u64 %d1, pointers; " + number +
         " mul.wide.u32 %d2, %r1, 8; add.u64 %d1, %d1, %d2; ld.global.u64 %d2, [%d1];" + std::string(call_pointer);
}

TEST(Pointers, EachLaneCallsItsOwnFunction) {
  const auto out = run_lanes(wrap_body(call_of("rem.u32 %r1, %t, 3;"), 'r', functions()));
  for (std::uint64_t t = 0; t < 32; ++t) EXPECT_EQ(out[t], t % 3 * 100 + t);
}

TEST(Pointers, AnAddressCanBeAnOperand) {
  const auto out = run_lanes(wrap_body("mov.u64 %d2, f2;" + std::string(call_pointer), 'r', functions()));
  for (std::uint64_t t = 0; t < 32; ++t) EXPECT_EQ(out[t], 200 + t);
}

TEST(Pointers, FunctionsWithoutABodyMayBePointedAtButNotCalled) {
  EXPECT_EQ(message_of([] {
              static_cast<void>(run_lanes(wrap_body(call_of("mov.u32 %r1, 4;"), 'r', functions())));
            }).substr(0, 76),
            "missing function: call at p.ptx:34 calls missing, which has no body in this ");
}

TEST(Pointers, WhatIsNoFunctionOfThatKindEndsTheLaunch) {
  const auto failure = [](const std::string& set) {
    return message_of([&] { static_cast<void>(run_lanes(wrap_body(set, 'r', functions()), 1)); });
  };
  const std::string where = "bad call: call at p.ptx:34 calls ";
  const std::string thread = "; thread (0,0,0), CTA (0,0,0)";
  EXPECT_EQ(failure(call_of("mov.u32 %r1, 3;")), where + "other, which has other parameters or results" + thread);
  EXPECT_EQ(failure("\n\nmov.u64 %d2, 0;" + std::string(call_pointer)).substr(0, 60),
            "bad call: call at p.ptx:36 calls address 0x0, where no funct");
}

TEST(Pointers, NamesMustBeDeclared) {
  EXPECT_EQ(message_of([] { static_cast<void>(run_lanes(wrap_body("mov.u64 %d2, g;", 'r', functions()))); }),
            "p.ptx:32: 'g' is not declared");
  const std::string head = std::string(header) + ".global .align 8 .u64 p = g;\n";
  EXPECT_EQ(message_of([&] { static_cast<void>(run_lanes(wrap_body("", 'r', head))); }),
            "p.ptx:4: 'g' is not declared, or neither a variable nor a function");
}

// -- Masks of parts of a warp

TEST(Masks, PartsOfAWarpMeetAtOneInstructionEachOnItsOwn) {
  for (const unsigned size : {1U, 2U, 4U, 8U, 16U}) {
    const std::string mask =
        fmt::format("and.b32 %r1, %t, {}; mov.u32 %r2, {}; shl.b32 %r2, %r2, %r1; ", 32 - size, (1U << size) - 1);
    const std::string clamp = std::to_string((32 - size) << 8 | 31);
    const auto sums = run_lanes(wrap_body(mask + "redux.sync.add.u32 %r0, %t, %r2;", 'r'));
    const auto first =
        run_lanes(wrap_body(mask + "bar.warp.sync %r2; shfl.sync.idx.b32 %r0, %t, 0, " + clamp + ", %r2;", 'r'));
    for (unsigned t = 0; t < 32; ++t) {
      const unsigned begin = t / size * size;
      EXPECT_EQ(sums[t], size * begin + size * (size - 1) / 2);
      EXPECT_EQ(first[t], begin);
    }
  }
}

TEST(Masks, MasksThatOverlapAreAnError) {
  EXPECT_EQ(message_of([] {
              static_cast<void>(
                  run_lanes(wrap_body("setp.lt.u32 %p5, %t, 8; selp.b32 %r1, 0xFF, -1, %p5; "
                                      "vote.sync.ballot.b32 %r0, %p1, %r1;",
                                      'r')));
            }),
            "divergence: vote.sync.ballot.b32 at p.ptx:22 names lanes 0-31 where lane 0 names 0-7; thread (8,0,0), CTA "
            "(0,0,0)");
}

// -- wmma

constexpr int edge = 16;
constexpr int stride = 24;

struct WmmaTypes {
  std::string_view input, result;  // of A and B; of C and D
  std::string_view mma;
};

std::string registers(const std::string& name, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += (i == 0 ? "{" : ", ") + name + std::to_string(i);
  return text + "}";
}

std::string wmma_kernel(const WmmaTypes& types, const std::string& a, const std::string& b, const std::string& c,
                        const std::string& d) {
  const int inputs = types.input == "f16" ? 8 : 4;
  const int results = types.result == "f32" ? 8 : 4;
  const std::string rc = registers("%c", results);
  const auto move = [&](const std::string& what, const std::string& layout, std::string_view space,
                        std::string_view type) {
    return fmt::format("  wmma.{}.sync.aligned.{}.m16n16k16{}.{} ", what, layout, space, type);
  };
  std::string text(header);
  text += ".visible .entry k(.param .u64 a, .param .u64 b, .param .u64 c, .param .u64 d)\n{\n";
  text += "  .reg .b64 %p<4>; .reg .b32 %a<8>, %b<8>, %c<8>, %s;\n  mov.u32 %s, 24;\n";
  for (int i = 0; i < 4; ++i) text += fmt::format("  ld.param.u64 %p{}, [{}];\n", i, static_cast<char>('a' + i));
  text += move("load.a", a, ".global", types.input) + registers("%a", inputs) + ", [%p0], %s;\n";
  text += move("load.b", b, "", types.input) + registers("%b", inputs) + ", [%p1], 24;\n";
  text += move("load.c", c, ".global", types.result) + rc + ", [%p2], %s;\n";
  text += fmt::format("  wmma.mma.sync.aligned.{}.{}.m16n16k16.{} {}, {}, {}, {};\n", a, b, types.mma, rc,
                      registers("%a", inputs), registers("%b", inputs), rc);
  text += move("store.d", d, ".global", types.result) + "[%p3], " + rc + ", %s;\n  ret;\n}\n";
  return text;
}

// Dense values in memory: small integers, exact everywhere.
struct Matrix {
  std::string_view type;
  bool row_major;
  std::vector<U32> words = std::vector<U32>(edge * stride);  // of f32
  std::vector<U16> halves = std::vector<U16>(edge * stride);

  [[nodiscard]] std::size_t place(int row, int column) const {
    return static_cast<std::size_t>(row_major ? row * stride + column : column * stride + row);
  }
  void set(int row, int column, int value) {
    const auto real = static_cast<float>(value);
    words[place(row, column)] = std::bit_cast<U32>(real);
    halves[place(row, column)] = type == "bf16" ? from_f32<bf16_format>(real) : from_f32<f16_format>(real);
  }
  [[nodiscard]] float at(int row, int column) const {
    return type == "f32" ? std::bit_cast<float>(words[place(row, column)])
                         : to_f32<f16_format>(halves[place(row, column)]);
  }
  [[nodiscard]] std::span<std::byte> bytes() {
    return type == "f32" ? std::as_writable_bytes(std::span(words)) : std::as_writable_bytes(std::span(halves));
  }
};

int value_at(int matrix, int row, int column) {
  return (row * 7 + column * 3 + matrix * 5 + row * column) % 9 - 4;
}

void expect_product(const WmmaTypes& types, const std::array<bool, 4>& row_major) {
  const auto name = [&](std::size_t i) { return std::string(row_major[i] ? "row" : "col"); };
  std::array<Matrix, 4> m{Matrix{types.input, row_major[0]}, Matrix{types.input, row_major[1]},
                          Matrix{types.result, row_major[2]}, Matrix{types.result, row_major[3]}};
  for (int i = 0; i < 4; ++i) {
    for (int row = 0; row < edge; ++row) {
      for (int column = 0; column < edge; ++column)
        m[static_cast<std::size_t>(i)].set(row, column, value_at(i, row, column));
    }
  }
  const Module module = Module::from_ptx(wmma_kernel(types, name(0), name(1), name(2), name(3)), "p.ptx");
  Memory memory;
  Arguments arguments(module.kernel("k"));
  for (std::size_t i = 0; i < 4; ++i)
    arguments.set(i, memory.wrap(m[i].bytes(), std::string(1, static_cast<char>('a' + i))));
  launch(module, "k", {.block = {32}}, arguments.bytes(), memory);
  for (int row = 0; row < edge; ++row) {
    for (int column = 0; column < edge; ++column) {
      int sum = value_at(2, row, column);
      for (int k = 0; k < edge; ++k) sum += value_at(0, row, k) * value_at(1, k, column);
      EXPECT_EQ(m[3].at(row, column), static_cast<float>(sum)) << types.mma << " (" << row << "," << column << ")";
    }
  }
}

TEST(Wmma, MultipliesInEveryLayoutAndType) {
  for (const WmmaTypes& types : {WmmaTypes{"f16", "f32", "f32.f32"}, WmmaTypes{"f16", "f16", "f16.f16"},
                                 WmmaTypes{"bf16", "f32", "f32.bf16.bf16.f32"}}) {
    for (unsigned layouts = 0; layouts < 16; ++layouts) {
      expect_product(types, {(layouts & 1) != 0, (layouts & 2) != 0, (layouts & 4) != 0, (layouts & 8) != 0});
    }
  }
}

TEST(Wmma, OtherShapesAreAnError) {
  EXPECT_EQ(message_of([] {
              static_cast<void>(Module::from_ptx(
                  wrap_body("wmma.load.a.sync.aligned.row.m8n32k16.f16 {%r1,%r2,%r3,%r4,%r5,%r6,%r7,%r8}, [%d1];", 'r'),
                  "p.ptx"));
            }),
            "p.ptx:22: instruction 'wmma.load.a.sync.aligned.row.m8n32k16.f16' is not supported");
}

}  // namespace
}  // namespace tileloom::emu::test
