// SPDX-License-Identifier: Apache-2.0
#include "cli/emulate_run.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <memory>
#include <span>

#include "cli/progress.hpp"
#include "render/finding_text.hpp"
#include "tileloom/error.hpp"

namespace tileloom::cli {
namespace {

// `y[3,0]`.
std::string element_name(const KernelArgument& argument, std::uint64_t index) {
  const auto& shape = std::get<BufferArgument>(argument.what).shape;
  std::vector<std::uint64_t> at(shape.size());
  for (std::size_t i = shape.size(); i-- > 0;) {
    at[i] = index % static_cast<std::uint64_t>(shape[i]);
    index /= static_cast<std::uint64_t>(shape[i]);
  }
  return fmt::format("{}[{}]", argument.name, fmt::join(at, ","));
}

// Two NaN are equal, a NaN and a number are not.
bool close(long double found, long double expected, long double tolerance) {
  if (std::isnan(found) || std::isnan(expected)) {
    return std::isnan(found) && std::isnan(expected);
  }
  return found == expected || std::fabs(found - expected) <= tolerance;
}

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

// The kernel's parameter bytes, and the buffers that they point to.
class Setup {
 public:
  Setup(const EmulateRequest& request, const emu::Kernel& kernel) : arguments_(kernel) {
    check_count(request, kernel);
    for (std::size_t i = 0; i < request.arguments.size(); ++i) {
      check_size(request.arguments[i], request, kernel.parameters[i], i);
    }
    for (std::size_t i = 0; i < request.arguments.size(); ++i) {
      set(request.arguments[i], i);
    }
  }

  [[nodiscard]] emu::Memory& memory() { return memory_; }
  [[nodiscard]] std::span<const std::byte> parameters() const { return arguments_.bytes(); }

  // Buffers as the kernel left them.
  void read_back(EmulateRequest& request) const {
    for (std::size_t i = 0; i < request.arguments.size(); ++i) {
      if (auto* buffer = std::get_if<BufferArgument>(&request.arguments[i].what)) {
        memory_.read(at_[i], buffer->bytes);
      }
    }
  }

 private:
  void set(const KernelArgument& argument, std::size_t index) {
    if (const auto* value = std::get_if<ValueArgument>(&argument.what)) {
      arguments_.set_bytes(index, value->bytes);
      at_.emplace_back();
      return;
    }
    if (const auto* alias = std::get_if<AliasArgument>(&argument.what)) {
      at_.push_back(at_[alias->argument].offset(static_cast<std::int64_t>(alias->offset)));
    } else {
      const auto& buffer = std::get<BufferArgument>(argument.what);
      at_.push_back(memory_.allocate(buffer.bytes.size(), argument.name));
      if (buffer.written) {
        memory_.write(at_.back(), buffer.bytes);
      }
    }
    arguments_.set(index, at_.back());
  }

  emu::Memory memory_;
  emu::Arguments arguments_;
  std::vector<emu::DevicePtr> at_;  // by argument
};

void launch(const emu::Module& module, Setup& setup, EmulateRequest& request, EmulateOutcome& outcome) {
  Progress progress("emulating");
  request.options.progress = [&](const emu::Progress& now) {
    progress.update(now.ctas_done, now.ctas);
    return true;
  };
  const auto start = std::chrono::steady_clock::now();
  outcome.report = emu::try_launch(module, outcome.mangled, request.options, setup.parameters(), setup.memory());
  outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  setup.read_back(request);
  outcome.ignored = take_ignored(outcome.report, request.ignores);
}

std::string what_failed(const EmulateRequest& request, const EmulateOutcome& outcome) {
  if (outcome.report.failure) {
    return outcome.report.failure->message;
  }
  for (std::size_t i = 0; i < outcome.comparisons.size(); ++i) {
    const Comparison& c = outcome.comparisons[i];
    if (c.wrong > 0) {
      return fmt::format("{}: {} of {} elements differ from {}; the first: {}",
                         request.arguments[request.expectations[i].argument].name, c.wrong, c.elements,
                         request.expectations[i].path, c.first);
    }
  }
  return "check failed: " + render::count_findings(outcome.report.findings, outcome.report.uninitialised_reads);
}

std::string not_written(const EmulateRequest& request) {
  std::string paths;
  for (const SaveRequest& save : request.saves) {
    paths += (paths.empty() ? "" : ", ") + save.path;
  }
  return paths.empty() ? "" : paths + (request.saves.size() == 1 ? " was" : " were") + " not written";
}

}  // namespace

bool EmulateOutcome::good() const {
  bool right = !report.failure && report.findings.empty() && report.uninitialised_reads.empty();
  for (const Comparison& c : comparisons) {
    right &= c.wrong == 0;
  }
  return right;
}

Comparison compare(const KernelArgument& argument, const ExpectRequest& expected) {
  const auto& buffer = std::get<BufferArgument>(argument.what);
  const npy::Array& reference = expected.reference;
  const bool patterns = buffer.type->is_bf16 && reference.type == npy::Type::u16;
  const ElementType& type = patterns ? *buffer.type : element_type(reference.type);
  Comparison made;
  made.elements = static_cast<std::uint64_t>(reference.elements());
  for (std::uint64_t i = 0; i < made.elements; ++i) {
    const long double found = load_element(*buffer.type, buffer.bytes.data() + i * buffer.type->bytes());
    const long double wanted = load_element(type, reference.bytes.data() + i * type.bytes());
    if (close(found, wanted, expected.tolerance)) {
      continue;
    }
    if (made.wrong++ == 0) {
      made.first = fmt::format("{} is {}, expected {}", element_name(argument, i), value_text(*buffer.type, found),
                               value_text(type, wanted));
    }
  }
  return made;
}

int run_emulate(EmulateRequest& request, const std::vector<std::string>& argv) {
  const std::vector<emu::Module> modules = load_modules(request.path, request.options.arch);
  const auto [module, found] = find_entry(modules, request.path, request.entry);
  const emu::Kernel& kernel = *found;
  EmulateOutcome outcome;
  outcome.kernel = demangled(kernel.name);
  outcome.mangled = kernel.name;
  Setup setup(request, kernel);
  std::vector<npy::Writer> writers;  // opened before the work: a path that cannot be written is known at once
  for (const SaveRequest& save : request.saves) {
    writers.emplace_back(save.path);
  }
  if (!request.json) {
    print_emulate_headline(request, outcome);
  }
  launch(*module, setup, request, outcome);
  if (!outcome.report.failure) {
    for (const ExpectRequest& expected : request.expectations) {
      outcome.comparisons.push_back(compare(request.arguments[expected.argument], expected));
    }
  }
  const bool good = outcome.good();
  for (std::size_t i = 0; good && i < writers.size(); ++i) {
    const auto& buffer = std::get<BufferArgument>(request.arguments[request.saves[i].argument].what);
    writers[i].write(buffer.type->stored, buffer.shape, buffer.bytes);
  }
  if (request.json) {
    print_emulate_json(request, argv, outcome);
  } else {
    print_emulate_outcome(request, outcome);
  }
  if (!good) {
    throw Error(ErrorKind::check_failed, what_failed(request, outcome), not_written(request));
  }
  return 0;
}

}  // namespace tileloom::cli
