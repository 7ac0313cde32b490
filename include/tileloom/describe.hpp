// SPDX-License-Identifier: Apache-2.0
// For users of CuTe: the types of a kernel, written as a configuration for `tileloom trace`, `check` and `draw`
// (docs/formats/kernel-config.md). Host code only: any C++17 compiler that reads CuTe's headers, no GPU.
//
//   #include <tileloom/describe.hpp>
//
//   tileloom::describe::kernel("my_gemm")
//       .stages(3)
//       .mma(TiledMma{})                                  // cute::TiledMMA, or an MMA_Atom
//       .tile(cute::Shape<cute::_128, cute::_128, cute::_32>{})
//       .smem_a(SmemLayoutA{}).smem_b(SmemLayoutB{})      // (tile, tile) or (tile, tile, stages), swizzled or not
//       .g2s_a(G2SCopyA{}).g2s_b(G2SCopyB{})              // cute::TiledCopy
//       .s2r_a(S2RAtom{}).s2r_b(S2RAtom{})                // Copy_Atom, or the TiledCopy made of it
//       .write(std::cout);                                //   ./describe | tileloom check -
//
// What is not said is left out, as in the file. Only `mma` and `tile` are required. A type that no configuration can
// hold does not compile, and the message says why.
//
// Not part of a type, and therefore said in words: the matrices in global memory, as layouts whose strides may be
// symbols with known divisors (gmem_a and so on), the first byte of a tile in shared memory (smem_at_b and so on).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cute/tensor.hpp>
#include <ostream>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace tileloom::describe {

namespace detail {

template <class>
inline constexpr bool never = false;

// --- Names of types ----------------------------------------------------------------------------------------------

template <class T>
const char* signature() {
  return __PRETTY_FUNCTION__;  // "... [with T = X]" of GCC and nvcc, "... [T = X]" of Clang
}

inline void erase_all(std::string& text, const std::string& word) {
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at)) {
    text.erase(at, word.size());
  }
}

// Without CuTe's and CUTLASS's namespaces: SM80_16x8x16_F16F16F16F16_TN.
template <class T>
std::string type_name() {
  std::string name = signature<T>();
  name = name.substr(name.find("T = ") + 4);
  name.pop_back();
  erase_all(name, "cute::");
  erase_all(name, "cutlass::");
  return name;
}

inline std::string before_arguments(const std::string& name) {
  return name.substr(0, name.find('<'));
}

// Operations of two element types move as many bits as those have: UniversalCopy<uint128_t>.
template <class Op>
struct CopyName {
  static std::string get() { return type_name<Op>(); }
};
template <template <class, class> class Op, class Source, class Destination>
struct CopyName<Op<Source, Destination>> {
  static_assert(sizeof(Source) == sizeof(Destination), "describe: a copy between types of different width");
  static std::string get() {
    return before_arguments(type_name<Op<Source, Destination>>()) + "<uint" + std::to_string(8 * sizeof(Source)) +
           "_t>";
  }
};

// wgmma's operations have their major modes as arguments, which the layouts say too.
template <class Op>
std::string mma_name() {
  const std::string name = type_name<Op>();
  const std::string group = "SM90::GMMA::MMA_";
  return name.rfind(group, 0) == 0 ? "SM90_" + before_arguments(name.substr(group.size())) : name;
}

template <class T>
std::string element_name() {
  using namespace cute;
  if constexpr (std::is_same_v<T, half_t>) {
    return "f16";
  } else if constexpr (std::is_same_v<T, bfloat16_t>) {
    return "bf16";
  } else if constexpr (std::is_same_v<T, tfloat32_t>) {
    return "tf32";
  } else if constexpr (std::is_same_v<T, float>) {
    return "f32";
  } else if constexpr (std::is_same_v<T, double>) {
    return "f64";
  } else if constexpr (std::is_same_v<T, float_e4m3_t>) {
    return "e4m3";
  } else if constexpr (std::is_same_v<T, float_e5m2_t>) {
    return "e5m2";
  } else if constexpr (std::is_same_v<T, std::int8_t>) {
    return "s8";
  } else if constexpr (std::is_same_v<T, std::uint8_t>) {
    return "u8";
  } else if constexpr (std::is_same_v<T, int4b_t>) {
    return "s4";
  } else if constexpr (std::is_same_v<T, uint4b_t>) {
    return "u4";
  } else if constexpr (std::is_same_v<T, std::int32_t>) {
    return "s32";
  } else if constexpr (std::is_same_v<T, uint1b_t>) {
    return "b1";
  } else {
    static_assert(never<T>, "describe: an element type that no configuration has");
  }
}

// --- Instructions out of types -----------------------------------------------------------------------------------

template <class T>
struct CopyOf {
  using Op = T;  // a bare operation
};
template <class Operation, class Value>
struct CopyOf<cute::Copy_Atom<Operation, Value>> {
  using Op = Operation;
};
template <class Operation, class... Arguments, class Value>
struct CopyOf<cute::Copy_Atom<cute::Copy_Traits<Operation, Arguments...>, Value>> {
  using Op = Operation;
};
template <class Atom, class Tv, class Tiler>
struct CopyOf<cute::TiledCopy<Atom, Tv, Tiler>> : CopyOf<Atom> {};

template <class Operation>
struct MmaOf {
  using Op = Operation;
  using Atom = cute::MMA_Atom<Operation>;
  using AtomLayout = cute::Layout<cute::Shape<cute::_1, cute::_1, cute::_1>>;
  using Permutation = cute::Tile<cute::Underscore, cute::Underscore, cute::Underscore>;
};
template <class Operation>
struct MmaOf<cute::MMA_Atom<Operation>> : MmaOf<Operation> {};
template <class Operation, class... Arguments>
struct MmaOf<cute::MMA_Atom<cute::MMA_Traits<Operation, Arguments...>>> : MmaOf<Operation> {};
template <class Atom_, class AtomLayout_, class Permutation_>
struct MmaOf<cute::TiledMMA<Atom_, AtomLayout_, Permutation_>> : MmaOf<Atom_> {
  using AtomLayout = AtomLayout_;
  using Permutation = Permutation_;
};

// --- Layouts as text ---------------------------------------------------------------------------------------------

template <class T>
std::string tree_text(const T& t);

template <class Tuple, std::size_t... I>
std::string children_text(const Tuple& t, std::index_sequence<I...>) {
  std::string text;
  ((text += (I == 0 ? "" : ",") + tree_text(cute::get<I>(t))), ...);
  return text;
}

template <class T>
std::string tree_text(const T& t) {
  if constexpr (cute::is_tuple<T>::value) {
    return "(" + children_text(t, std::make_index_sequence<cute::tuple_size<T>::value>{}) + ")";
  } else if constexpr (cute::is_underscore<T>::value) {
    return "_";
  } else if constexpr (cute::is_static<T>::value && cute::is_integral<T>::value) {
    return "_" + std::to_string(T::value);
  } else {
    static_assert(std::is_integral_v<T>, "describe: a layout of integers is expected, not of coordinates");
    return std::to_string(t);
  }
}

template <class Shape, class Stride>
std::string layout_text(const cute::Layout<Shape, Stride>& l) {
  return tree_text(l.shape()) + ":" + tree_text(l.stride());
}
template <int B, int M, int S, class Offset, class Inner>
std::string layout_text(const cute::ComposedLayout<cute::Swizzle<B, M, S>, Offset, Inner>& l) {
  return "Sw<" + std::to_string(B) + "," + std::to_string(M) + "," + std::to_string(S) + "> o " +
         tree_text(l.offset()) + " o " + layout_text(l.layout_b());
}
// The canonical layouts of wgmma swizzle bytes and say how wide an element is.
template <int B, int M, int S, int Bits, class Inner>
std::string layout_text(const cute::ComposedLayout<cute::Swizzle<B, M, S>, cute::smem_ptr_flag_bits<Bits>, Inner>& l) {
  return layout_text(cute::as_position_independent_swizzle_layout(l));
}

template <class T>
std::string tiler_mode_text(const T& t) {
  if constexpr (cute::is_layout<T>::value) {
    return layout_text(t);
  } else {
    return tree_text(t);
  }
}
template <class Tiler, std::size_t... I>
std::string tiler_text(const Tiler& t, std::index_sequence<I...>) {
  std::string text;
  ((text += (I == 0 ? "" : ",") + tiler_mode_text(cute::get<I>(t))), ...);
  return "<" + text + ">";
}

// The tile of a copy: `n:1` is as good as n.
template <class T>
std::string tile_mode_text(const T& t) {
  if constexpr (cute::is_layout<T>::value) {
    static_assert(std::is_same_v<decltype(cute::coalesce(t)), cute::Layout<decltype(cute::size(t)), cute::_1>>,
                  "describe: a copy whose tile takes elements that do not lie together");
    return tree_text(cute::size(t));
  } else {
    return tree_text(t);
  }
}
template <class Tiler, std::size_t... I>
std::string tile_text(const Tiler& t, std::index_sequence<I...>) {
  std::string text;
  ((text += (I == 0 ? "" : ",") + tile_mode_text(cute::get<I>(t))), ...);
  return "(" + text + ")";
}

// --- JSON --------------------------------------------------------------------------------------------------------

inline std::string quoted(const std::string& text) {
  const char* digits = "0123456789abcdef";
  std::string out = "\"";
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
    }
    if (code < 0x20) {
      out += std::string("\\u00") + digits[code >> 4U] + digits[code & 15U];
    } else {
      out += c;
    }
  }
  return out + "\"";
}

// `"key": value`, of what is given.
class Object {
 public:
  Object& add(const std::string& key, const std::string& value) {
    if (!value.empty()) {
      text_ += (text_.empty() ? "" : separator_) + quoted(key) + ": " + value;
    }
    return *this;
  }
  Object& add_text(const std::string& key, const std::string& value) {
    return add(key, value.empty() ? value : quoted(value));
  }
  std::string on_one_line() const { return text_.empty() ? "" : "{" + text_ + "}"; }
  // One field a line, `indent` in from the brace.
  static Object by_line(const std::string& indent) {
    Object o;
    o.separator_ = ",\n" + indent;
    return o;
  }
  std::string on_lines(const std::string& indent, const std::string& end) const {
    return text_.empty() ? "" : "{\n" + indent + text_ + "\n" + end + "}";
  }

 private:
  std::string separator_ = ", ";
  std::string text_;
};

}  // namespace detail

// A layout as text, in CuTe's printed form: Sw<3,3,3> o _0 o (_8,_32):(_32,_1).
template <class Layout>
std::string layout_text(const Layout& layout) {
  return detail::layout_text(layout);
}
// A copy or MMA as Tileloom calls it: of an operation, a Copy_Atom, a TiledCopy; of an operation, an MMA_Atom, a
// TiledMMA.
template <class Copy>
std::string copy_name() {
  return detail::CopyName<typename detail::CopyOf<Copy>::Op>::get();
}
template <class Mma>
std::string mma_name() {
  return detail::mma_name<typename detail::MmaOf<Mma>::Op>();
}

// Collects what it is told; the order of the calls does not matter, of two equal ones the last counts.
class Kernel {
 public:
  explicit Kernel(std::string name) : name_(std::move(name)) {}

  // "sm_80": the architecture whose limits count.
  Kernel& arch(std::string arch) {
    arch_ = std::move(arch);
    return *this;
  }
  // Tiles of A and B in shared memory at a time.
  Kernel& stages(int stages) {
    stages_ = std::to_string(stages);
    return *this;
  }
  // CTAs in bands of `width` tiles of N.
  Kernel& raster(int width) {
    raster_ = detail::Object().add_text("along", "N").add("width", std::to_string(width)).on_one_line();
    return *this;
  }

  // A TiledMMA, an MMA_Atom or an operation.
  template <class Mma>
  Kernel& mma(const Mma& = {}) {
    using Of = detail::MmaOf<Mma>;
    using Atom = typename Of::Atom;
    static_assert(cute::is_static<typename Of::AtomLayout>::value, "describe: an atom layout that is not static");
    const typename Of::AtomLayout atoms{};
    const typename Of::Permutation permutation{};
    const bool compact =
        std::is_same_v<std::decay_t<decltype(atoms)>, std::decay_t<decltype(cute::make_layout(atoms.shape()))>>;
    detail::Object o;
    o.add_text("atom", describe::mma_name<Mma>());
    o.add_text("atom_layout", compact ? detail::tree_text(atoms.shape()) : detail::layout_text(atoms));
    const std::string tiler = detail::tiler_text(permutation, std::make_index_sequence<3>{});
    o.add_text("permutation", tiler == "<_,_,_>" ? "" : tiler);
    mma_ = o.on_one_line();
    type_a_ = detail::element_name<typename Atom::ValTypeA>();
    type_b_ = detail::element_name<typename Atom::ValTypeB>();
    accumulate_ = detail::element_name<typename Atom::ValTypeC>();
    return *this;
  }
  // C's type in memory, where it is not that of the sums.
  template <class T>
  Kernel& output_type(const T&) {
    type_c_ = detail::element_name<T>();
    return *this;
  }
  // (M, N, K) of a CTA.
  template <class Shape>
  Kernel& tile(const Shape& shape) {
    static_assert(cute::rank_v<Shape> == 3, "describe: the tile is (M, N, K)");
    tile_ = "[" + std::to_string(int(cute::size<0>(shape))) + ", " + std::to_string(int(cute::size<1>(shape))) + ", " +
            std::to_string(int(cute::size<2>(shape))) + "]";
    return *this;
  }

  // The whole matrices, with symbols: "(M,K):(lda{div=8},_1)".
  Kernel& gmem_a(const std::string& layout) { return set(gmem_a_, layout); }
  Kernel& gmem_b(const std::string& layout) { return set(gmem_b_, layout); }
  Kernel& gmem_c(const std::string& layout) { return set(gmem_c_, layout); }

  // Layouts in shared memory. C's is what the epilogue writes at once.
  template <class Layout>
  Kernel& smem_a(const Layout& layout) {
    return set(smem_a_, layout_text(layout));
  }
  template <class Layout>
  Kernel& smem_b(const Layout& layout) {
    return set(smem_b_, layout_text(layout));
  }
  template <class Layout>
  Kernel& smem_c(const Layout& layout) {
    return set(smem_c_, layout_text(layout));
  }
  // First byte of an operand in the CTA's shared memory.
  Kernel& smem_at_a(std::size_t byte) { return set(at_a_, std::to_string(byte)); }
  Kernel& smem_at_b(std::size_t byte) { return set(at_b_, std::to_string(byte)); }
  Kernel& smem_at_c(std::size_t byte) { return set(at_c_, std::to_string(byte)); }

  // Global to shared memory: TiledCopies.
  template <class Copy>
  Kernel& g2s_a(const Copy& = {}) {
    return set(g2s_a_, tiled_copy<Copy>());
  }
  template <class Copy>
  Kernel& g2s_b(const Copy& = {}) {
    return set(g2s_b_, tiled_copy<Copy>());
  }
  // Shared memory to registers: the instruction of make_tiled_copy_A and _B.
  template <class Copy>
  Kernel& s2r_a(const Copy& = {}) {
    return set(s2r_a_, copy_name<Copy>());
  }
  template <class Copy>
  Kernel& s2r_b(const Copy& = {}) {
    return set(s2r_b_, copy_name<Copy>());
  }
  // The epilogue: the instruction of make_tiled_copy_C, and the TiledCopy to global memory.
  template <class Copy>
  Kernel& r2s(const Copy& = {}) {
    return set(r2s_, copy_name<Copy>());
  }
  template <class Copy>
  Kernel& s2g(const Copy& = {}) {
    return set(s2g_, tiled_copy<Copy>());
  }

  // Throws std::logic_error if mma or tile has not been said.
  std::string json() const {
    if (mma_.empty() || tile_.empty()) {
      throw std::logic_error(std::string("describe: ") + (mma_.empty() ? "mma" : "tile") + " has not been said");
    }
    const std::string output = type_c_.empty() ? accumulate_ : type_c_;
    return detail::Object::by_line("  ")
               .add_text("schema", "tileloom.kernel/1")
               .add_text("name", name_)
               .add_text("arch", arch_)
               .add("stages", stages_)
               .add("raster", raster_)
               .add("types", detail::Object()
                                 .add_text("A", type_a_)
                                 .add_text("B", type_b_)
                                 .add_text("C", output)
                                 .add_text("accumulate", accumulate_)
                                 .on_one_line())
               .add("mma", mma_)
               .add("tile", tile_)
               .add("gmem", operands(gmem_a_, gmem_b_, gmem_c_))
               .add("smem", shared())
               .add("g2s", copies())
               .add("s2r", detail::Object().add_text("A", s2r_a_).add_text("B", s2r_b_).on_one_line())
               .add("epilogue",
                    detail::Object::by_line("    ").add_text("r2s", r2s_).add("s2g", s2g_).on_lines("    ", "  "))
               .on_lines("  ", "") +
           "\n";
  }
  void write(std::ostream& out) const { out << json(); }

 private:
  Kernel& set(std::string& field, const std::string& value) {
    field = value;
    return *this;
  }

  template <class Copy>
  static std::string tiled_copy() {
    using Tiler = typename Copy::Tiler_MN;
    static_assert(cute::is_static<typename Copy::TiledLayout_TV>::value && cute::is_static<Tiler>::value,
                  "describe: a copy whose threads and values are not static");
    return detail::Object()
        .add_text("atom", copy_name<Copy>())
        .add_text("tv", detail::layout_text(typename Copy::TiledLayout_TV{}))
        .add_text("tile", detail::tile_text(Tiler{}, std::make_index_sequence<cute::tuple_size<Tiler>::value>{}))
        .on_one_line();
  }

  static std::string operands(const std::string& a, const std::string& b, const std::string& c) {
    return detail::Object::by_line("    ").add_text("A", a).add_text("B", b).add_text("C", c).on_lines("    ", "  ");
  }
  std::string shared() const {
    return detail::Object::by_line("    ")
        .add_text("A", smem_a_)
        .add_text("B", smem_b_)
        .add_text("C", smem_c_)
        .add("at", detail::Object().add("A", at_a_).add("B", at_b_).add("C", at_c_).on_one_line())
        .on_lines("    ", "  ");
  }
  std::string copies() const {
    return detail::Object::by_line("    ")
        .add("A", g2s_a_)
        .add("B", !g2s_a_.empty() && g2s_a_ == g2s_b_ ? "\"as A\"" : g2s_b_)
        .on_lines("    ", "  ");
  }

  std::string name_, arch_ = "sm_80", stages_, raster_, mma_, tile_;
  std::string type_a_, type_b_, type_c_, accumulate_;
  std::string gmem_a_, gmem_b_, gmem_c_;
  std::string smem_a_, smem_b_, smem_c_, at_a_, at_b_, at_c_;
  std::string g2s_a_, g2s_b_, s2r_a_, s2r_b_, r2s_, s2g_;
};

[[nodiscard]] inline Kernel kernel(std::string name) {
  return Kernel(std::move(name));
}

}  // namespace tileloom::describe
