// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "emu/isa/module_decoder.hpp"
#include "emu/machine/program.hpp"
#include "emu/ptx/parser.hpp"
#include "tileloom/emu/emulator.hpp"
#include "tileloom/error.hpp"

namespace tileloom::emu {

Module::Module(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Module::Module(Module&&) noexcept = default;
Module& Module::operator=(Module&&) noexcept = default;
Module::~Module() = default;

Module Module::from_ptx(std::string_view text, std::string name) {
  return Module(std::make_unique<Impl>(Impl{decode(ptx::parse(text, std::move(name)))}));
}

const std::string& Module::name() const {
  return impl_->program.source.name;
}

hw::Arch Module::target() const {
  return impl_->program.source.target;
}

const std::vector<Kernel>& Module::kernels() const {
  return impl_->program.kernels;
}

const Kernel& Module::kernel(std::string_view wanted) const {
  const Kernel* found = nullptr;
  std::size_t count = 0;
  for (const Kernel& k : kernels()) {
    if (k.name == wanted) return k;
    if (k.name.find(wanted) == std::string::npos) continue;
    found = &k;
    ++count;
  }
  if (count == 1) return *found;
  std::string names;
  for (const Kernel& k : kernels()) {
    if (count == 0 || k.name.find(wanted) != std::string::npos) names += (names.empty() ? "" : ", ") + k.name;
  }
  throw Error(ErrorKind::bad_input,
              fmt::format("{}: {} kernel's name contains '{}'", name(), count == 0 ? "no" : "more than one", wanted),
              names.empty() ? "the module has no kernel" : "kernels: " + names);
}

Arguments& Arguments::set_bytes(std::size_t index, std::span<const std::byte> value) {
  if (index >= kernel_.parameters.size()) {
    throw Error(ErrorKind::bad_input, fmt::format("kernel '{}' has {} parameters, found argument {}", kernel_.name,
                                                  kernel_.parameters.size(), index));
  }
  const Parameter& p = kernel_.parameters[index];
  if (value.size() != p.size) {
    throw Error(ErrorKind::bad_input, fmt::format("argument {} of kernel '{}' takes {} bytes, found {}", index,
                                                  kernel_.name, p.size, value.size()));
  }
  std::copy(value.begin(), value.end(), bytes_.begin() + p.offset);
  return *this;
}

}  // namespace tileloom::emu
