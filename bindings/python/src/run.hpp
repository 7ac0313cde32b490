// SPDX-License-Identifier: Apache-2.0
// A file of kernels, and a launch of one of them in the emulator.
#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <utility>
#include <vector>

#include "cli/emulate_run.hpp"

namespace tileloom::python {

struct PyModule {
  PyModule(std::string file, hw::Arch modelled, std::vector<emu::Module> decoded)
      : path(std::move(file)), arch(modelled), modules(std::move(decoded)) {}
  PyModule(const PyModule&) = delete;
  PyModule(PyModule&&) = default;
  PyModule& operator=(const PyModule&) = delete;
  PyModule& operator=(PyModule&&) = default;
  ~PyModule() = default;

  std::string path;
  hw::Arch arch;
  std::vector<emu::Module> modules;
};

struct PyRun {
  cli::EmulateRequest request;
  cli::EmulateOutcome outcome;
};

[[nodiscard]] inline std::vector<std::byte> bytes_of(const nanobind::bytes& bytes) {
  const auto* begin = reinterpret_cast<const std::byte*>(bytes.c_str());
  return {begin, begin + bytes.size()};
}

void bind_module(nanobind::module_& m);
void bind_counters(nanobind::module_& m);
void bind_findings(nanobind::module_& m);
void bind_provenance(nanobind::module_& m);

}  // namespace tileloom::python
