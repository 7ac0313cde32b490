// SPDX-License-Identifier: Apache-2.0
// The integers of the layout algebra: static (`_4`), dynamic (`4`), the wildcard `_`, and scaled bases (`_1@0`).
//
// CuTe decides at compile time with static integers and leaves dynamic ones alone. At run time both have a value; the
// kind is kept because it decides how results print and, under Semantics::cute, what can be decided at all.
//
// A static operand and a static operand give a static result; any dynamic operand makes the result dynamic, except
// that a product with static zero, a quotient of static zero and a remainder by static one are static zero.
// All arithmetic is exact on 64 bits: an overflow or a division by zero throws tileloom::Error.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace tileloom::layout {

enum class NodeKind : std::uint8_t {
  fixed,    // static integer, printed with an underscore
  dynamic,  // dynamic integer
  any,      // the wildcard `_` of coordinates and tilers
  tuple,    // inner node of a Tree; `value` then holds the number of nodes of the subtree
};

// Longest basis path (`_1@0@1` has two) and largest mode number in it.
inline constexpr int max_basis_depth = 4;
inline constexpr int max_basis_mode = 255;

// One node of a Tree. As a leaf: an integer, times a basis vector if basis_depth > 0.
struct Int {
  std::int64_t value = 0;
  NodeKind kind = NodeKind::fixed;
  std::uint8_t basis_depth = 0;
  std::uint16_t arity = 0;                            // tuples only: number of children
  std::array<std::uint8_t, max_basis_depth> basis{};  // outermost mode first; text shows it last: _1@1@0 is {0,1}

  [[nodiscard]] static constexpr Int make_static(std::int64_t v) noexcept { return {v, NodeKind::fixed, 0, 0, {}}; }
  [[nodiscard]] static constexpr Int make_dynamic(std::int64_t v) noexcept { return {v, NodeKind::dynamic, 0, 0, {}}; }
  [[nodiscard]] static constexpr Int make_any() noexcept { return {0, NodeKind::any, 0, 0, {}}; }

  [[nodiscard]] constexpr bool is_static() const noexcept { return kind == NodeKind::fixed; }
  [[nodiscard]] constexpr bool is_dynamic() const noexcept { return kind == NodeKind::dynamic; }
  [[nodiscard]] constexpr bool is_any() const noexcept { return kind == NodeKind::any; }
  [[nodiscard]] constexpr bool is_tuple() const noexcept { return kind == NodeKind::tuple; }
  [[nodiscard]] constexpr bool is_integer() const noexcept { return kind <= NodeKind::dynamic; }
  [[nodiscard]] constexpr bool has_basis() const noexcept { return basis_depth != 0; }
  // The value without its basis.
  [[nodiscard]] constexpr Int scalar() const noexcept { return {value, kind, 0, 0, {}}; }
  [[nodiscard]] constexpr bool same_basis(const Int& other) const noexcept {
    return basis_depth == other.basis_depth && basis == other.basis;
  }

  // Same text: value, kind and basis.
  friend constexpr bool operator==(const Int&, const Int&) = default;
};
static_assert(sizeof(Int) == 16);

inline constexpr Int static_0 = Int::make_static(0);
inline constexpr Int static_1 = Int::make_static(1);

// Out of line: throws the error for an overflow in, or a zero divisor of, the operation `what`.
[[noreturn]] void throw_overflow(std::string_view what);
[[noreturn]] void throw_zero_divisor(std::string_view what);
[[noreturn]] void throw_basis_operands(std::string_view what);

// Checked 64-bit arithmetic.
[[nodiscard]] inline std::int64_t checked_add(std::int64_t a, std::int64_t b) {
  std::int64_t r = 0;
  if (__builtin_add_overflow(a, b, &r)) {
    throw_overflow("a sum");
  }
  return r;
}
[[nodiscard]] inline std::int64_t checked_mul(std::int64_t a, std::int64_t b) {
  std::int64_t r = 0;
  if (__builtin_mul_overflow(a, b, &r)) {
    throw_overflow("a product");
  }
  return r;
}

[[nodiscard]] constexpr NodeKind result_kind(const Int& a, const Int& b) noexcept {
  return a.is_static() && b.is_static() ? NodeKind::fixed : NodeKind::dynamic;
}

// a + b of two integers without basis. Bases add up to tuples; see as_tuple in tree.hpp.
[[nodiscard]] inline Int add(const Int& a, const Int& b) {
  if (a.has_basis() || b.has_basis()) {
    throw_basis_operands("a sum");
  }
  return {checked_add(a.value, b.value), result_kind(a, b), 0, 0, {}};
}
[[nodiscard]] inline Int sub(const Int& a, const Int& b) {
  if (b.value == INT64_MIN) {
    throw_overflow("a difference");
  }
  return add(a, {-b.value, b.kind, b.basis_depth, 0, b.basis});
}
// a * b; at most one has a basis, which the result inherits.
[[nodiscard]] inline Int mul(const Int& a, const Int& b) {
  if (a.has_basis() && b.has_basis()) {
    throw_basis_operands("a product");
  }
  const bool zero = (a.is_static() && a.value == 0) || (b.is_static() && b.value == 0);
  const Int& based = a.has_basis() ? a : b;
  return {checked_mul(a.value, b.value), zero ? NodeKind::fixed : result_kind(a, b), based.basis_depth, 0, based.basis};
}
// a / b and a % b. Most numbers fit in 32 bits, whose division takes a fraction of the time.
[[nodiscard]] constexpr std::int64_t quotient(std::int64_t a, std::int64_t b) noexcept {
  const bool narrow = ((static_cast<std::uint64_t>(a) | static_cast<std::uint64_t>(b)) >> 32U) == 0;
  return narrow ? static_cast<std::int64_t>(static_cast<std::uint32_t>(a) / static_cast<std::uint32_t>(b)) : a / b;
}
[[nodiscard]] constexpr std::int64_t remainder(std::int64_t a, std::int64_t b) noexcept {
  const bool narrow = ((static_cast<std::uint64_t>(a) | static_cast<std::uint64_t>(b)) >> 32U) == 0;
  return narrow ? static_cast<std::int64_t>(static_cast<std::uint32_t>(a) % static_cast<std::uint32_t>(b)) : a % b;
}

// a / b, rounded towards zero; a may have a basis.
[[nodiscard]] inline Int div(const Int& a, const Int& b) {
  if (b.value == 0) {
    throw_zero_divisor("a quotient");
  }
  if (a.value == INT64_MIN && b.value == -1) {
    throw_overflow("a quotient");
  }
  const bool zero = a.is_static() && a.value == 0;
  return {quotient(a.value, b.value), zero ? NodeKind::fixed : result_kind(a, b), a.basis_depth, 0, a.basis};
}
// a % b with the sign of a.
[[nodiscard]] inline Int mod(const Int& a, const Int& b) {
  if (b.value == 0) {
    throw_zero_divisor("a remainder");
  }
  const bool by_one = b.is_static() && (b.value == 1 || b.value == -1);
  const bool zero = by_one || (a.is_static() && a.value == 0);
  return {b.value == -1 ? 0 : remainder(a.value, b.value), zero ? NodeKind::fixed : result_kind(a, b), 0, 0, {}};
}
// (a + b - 1) / b, as CuTe computes it; a may have a basis.
[[nodiscard]] inline Int ceil_div(const Int& a, const Int& b) {
  Int r = div(sub(add(a.scalar(), b), static_1), b);
  r.basis_depth = a.basis_depth;
  r.basis = a.basis;
  return r;
}
[[nodiscard]] inline Int min(const Int& a, const Int& b) {
  return {a.value < b.value ? a.value : b.value, result_kind(a, b), 0, 0, {}};
}
[[nodiscard]] inline Int max(const Int& a, const Int& b) {
  return {a.value < b.value ? b.value : a.value, result_kind(a, b), 0, 0, {}};
}
[[nodiscard]] inline Int abs(const Int& a) {
  return a.value < 0 ? Int{sub(static_0, a.scalar()).value, a.kind, a.basis_depth, 0, a.basis} : a;
}
[[nodiscard]] constexpr Int signum(const Int& a) noexcept {
  return {(a.value > 0) - (a.value < 0), a.kind, 0, 0, {}};
}
// Greatest common divisor; gcd(0, x) = x.
[[nodiscard]] Int gcd(const Int& a, const Int& b);

}  // namespace tileloom::layout
