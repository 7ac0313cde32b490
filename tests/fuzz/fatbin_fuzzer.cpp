// SPDX-License-Identifier: Apache-2.0
// The reader of fatbins on any bytes: images with a text, or an Error of bad input; nothing else. The first byte says
// what the others are, so that they get past the magic number: a file, the entries of a fatbin, or what an entry holds.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>

#include "tileloom/emu/image.hpp"
#include "tileloom/error.hpp"
#include "unit/image/fatbin_writer.hpp"

namespace {

std::string file_of(std::uint8_t form, std::string bytes) {
  constexpr std::size_t full_size = 1000;
  switch (form % 4) {
    case 0:
      return bytes;
    case 1:
      return tileloom::test::container(bytes);
    case 2:
      return tileloom::test::container(tileloom::test::FatbinEntryText{.flags = 0x2011}.with_payload(bytes, full_size));
    default:
      return tileloom::test::container(tileloom::test::FatbinEntryText{.flags = 0x8011}.with_payload(bytes, full_size));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tileloom;
  if (size == 0) {
    return 0;
  }
  const std::string bytes = file_of(data[0], std::string(data + 1, data + size));
  try {
    const emu::ImageFile file = emu::read_images(std::as_bytes(std::span(bytes)), "input");
    if (file.ptx.empty() && file.machine_code.empty()) {
      std::abort();
    }
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::bad_input) {
      std::abort();
    }
  }
  return 0;
}
