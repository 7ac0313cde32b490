// SPDX-License-Identifier: Apache-2.0
#include "cli/emulate_launch.hpp"

#include <fmt/format.h>

#include <chrono>
#include <memory>

#include "tileloom/error.hpp"

namespace tileloom::cli {
namespace {

void check_count(const EmulateRequest& request, const emu::Kernel& kernel) {
  const std::size_t expected = kernel.parameters.size();
  if (request.arguments.size() == expected) {
    return;
  }
  std::string list;
  for (const emu::Parameter& p : kernel.parameters) {
    list += (list.empty() ? "" : ", ") + p.type + " " + p.name;
  }
  throw Error(ErrorKind::bad_input,
              fmt::format("kernel {}: expected {} argument{} (--arg), found {}", demangled(kernel.name), expected,
                          expected == 1 ? "" : "s", request.arguments.size()),
              list.empty() ? "it has no parameter" : "in this order: " + list);
}

void check_size(const KernelArgument& argument, const EmulateRequest& request, const emu::Parameter& parameter,
                std::size_t index) {
  const auto* value = std::get_if<ValueArgument>(&argument.what);
  const std::size_t bytes = value == nullptr ? sizeof(emu::DevicePtr) : value->bytes.size();
  if (bytes == parameter.size) {
    return;
  }
  throw Error(ErrorKind::bad_input,
              fmt::format("--arg {}: expected {} bytes for parameter {} ({} {}), found {} of {}", argument.name,
                          parameter.size, index, parameter.type, parameter.name, bytes,
                          value == nullptr ? "a pointer" : type_text(argument, request.arguments)),
              value == nullptr ? "a number is TYPE:VALUE, for example f32:1.5" : "");
}

}  // namespace

Launch::Launch(const Entry& entry, const EmulateRequest& request) : entry_(entry), arguments_(*entry.kernel) {
  const emu::Kernel& kernel = *entry.kernel;
  check_count(request, kernel);
  for (std::size_t i = 0; i < request.arguments.size(); ++i) {
    check_size(request.arguments[i], request, kernel.parameters[i], i);
  }
  for (std::size_t i = 0; i < request.arguments.size(); ++i) {
    set(request.arguments[i], i);
  }
}

void Launch::set(const KernelArgument& argument, std::size_t index) {
  if (const auto* value = std::get_if<ValueArgument>(&argument.what)) {
    arguments_.set_bytes(index, value->bytes);
    at_.emplace_back();
    return;
  }
  if (const auto* alias = std::get_if<AliasArgument>(&argument.what)) {
    at_.push_back(at_[alias->argument].offset(static_cast<std::int64_t>(alias->offset)));
  } else {
    at_.push_back(place(std::get<BufferArgument>(argument.what), argument.name));
  }
  arguments_.set(index, at_.back());
}

emu::DevicePtr Launch::place(const BufferArgument& buffer, const std::string& name) {
  if (buffer.writable) {
    const emu::DevicePtr at = memory_.allocate(buffer.bytes.size(), name);
    if (buffer.written) {
      memory_.write(at, buffer.bytes);
    }
    return at;
  }
  constexpr std::size_t alignment = 256;  // that of allocate
  std::vector<std::byte>& copy = read_only_.emplace_back(buffer.bytes.size() + alignment);
  void* begin = copy.data();
  std::size_t space = copy.size();
  std::align(alignment, buffer.bytes.size(), begin, space);
  const std::span<std::byte> bytes(static_cast<std::byte*>(begin), buffer.bytes.size());
  std::ranges::copy(buffer.bytes, bytes.begin());
  return memory_.wrap_read_only(bytes, name);
}

void Launch::read_back(EmulateRequest& request) const {
  for (std::size_t i = 0; i < request.arguments.size(); ++i) {
    auto* buffer = std::get_if<BufferArgument>(&request.arguments[i].what);
    if (buffer != nullptr && buffer->writable) {
      memory_.read(at_[i], buffer->bytes);
    }
  }
}

EmulateOutcome Launch::run(EmulateRequest& request) {
  EmulateOutcome outcome;
  outcome.mangled = entry_.kernel->name;
  outcome.kernel = demangled(outcome.mangled);
  const auto start = std::chrono::steady_clock::now();
  outcome.report = emu::try_launch(*entry_.module, outcome.mangled, request.options, arguments_.bytes(), memory_);
  outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  read_back(request);
  outcome.ignored = take_ignored(outcome.report, request.ignores);
  if (!outcome.report.failure) {
    for (const ExpectRequest& expected : request.expectations) {
      outcome.comparisons.push_back(compare(request.arguments[expected.argument], expected));
    }
  }
  return outcome;
}

}  // namespace tileloom::cli
