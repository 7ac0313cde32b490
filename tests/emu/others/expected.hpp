// SPDX-License-Identifier: Apache-2.0
// The kernels of plain.cu and toolkit.cu, and what each must write.
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace tileloom::test {

inline constexpr int others_elements = 512;  // of `in`
inline constexpr int others_ctas = 4;
inline constexpr int others_threads = 128;  // of a CTA
inline constexpr int others_shared = 512;   // bytes of dynamic shared memory

using Ints = std::vector<int>;

struct OthersKernel {
  std::string_view name;
  void (*write)(Ints& out, const Ints& in);
};
// Of plain.cu; of toolkit.cu.
[[nodiscard]] std::span<const OthersKernel> others_plain_kernels();
[[nodiscard]] std::span<const OthersKernel> others_toolkit_kernels();

[[nodiscard]] inline int at(const Ints& values, int i) {
  return values[static_cast<std::size_t>(i)];
}
// Sets out[i] to f(i) for the global index i of each thread.
template <class F>
void each(Ints& out, F f) {
  for (int i = 0; i < others_elements; ++i) out[static_cast<std::size_t>(i)] = f(i);
}

}  // namespace tileloom::test
