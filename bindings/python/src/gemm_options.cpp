// SPDX-License-Identifier: Apache-2.0
#include "gemm_options.hpp"

#include <fmt/format.h>

#include <string>

#include "tileloom/error.hpp"

namespace tileloom::python {
namespace {

[[noreturn]] void refuse(const std::string& message) {
  throw Error(ErrorKind::bad_input, "gemm: " + message);
}

Backend backend_of(std::string_view text) {
  for (const Backend backend : {Backend::automatic, Backend::cuda, Backend::emulator}) {
    if (text == to_string(backend)) {
      return backend;
    }
  }
  refuse(fmt::format("backend: expected auto, cuda or emulator, found '{}'", text));
}

}  // namespace

Accumulate accumulate_of(std::string_view text) {
  if (text != "f32" && text != "f16") {
    refuse(fmt::format("accumulate: expected f32 or f16, found '{}'", text));
  }
  return text == "f16" ? Accumulate::f16 : Accumulate::f32;
}

GemmOptions options_of(std::string_view backend, std::string_view arch, std::string_view kernel, int stages,
                       int raster_width) {
  GemmOptions options;
  options.backend = backend_of(backend);
  if (!arch.empty()) {
    options.arch = hw::parse_arch(arch);
  }
  options.kernel = kernel;
  options.stages = stages;
  if (raster_width < -1) {
    refuse(fmt::format("raster_width: expected -1 (off), 0 (chosen) or a width, found {}", raster_width));
  }
  if (raster_width != 0) {
    options.raster_width = static_cast<std::uint32_t>(raster_width < 0 ? 0 : raster_width);
  }
  return options;
}

}  // namespace tileloom::python
