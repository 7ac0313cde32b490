// SPDX-License-Identifier: Apache-2.0
// The .npy reader on any bytes: either a matrix that fits its bytes, or an Error of bad input; nothing else.
// With clang: clang++ -fsanitize=fuzzer,address,undefined ...; without it the unit tests call the same function.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "tileloom/error.hpp"
#include "tileloom/npy.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tileloom;
  try {
    const npy::LoadedMatrix loaded = npy::parse_matrix(std::as_bytes(std::span(data, size)), "input");
    const npy::Matrix& matrix = loaded.matrix;
    const bool consistent =
        matrix.rows >= 0 && matrix.cols >= 0 && matrix.values.size() * 2 <= size &&
        matrix.values.size() == static_cast<std::uint64_t>(matrix.rows) * static_cast<std::uint64_t>(matrix.cols);
    if (!consistent) {
      std::abort();
    }
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::bad_input) {
      std::abort();
    }
  }
  return 0;
}
