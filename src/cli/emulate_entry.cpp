// SPDX-License-Identifier: Apache-2.0
// The kernels of a module, by the names that their author knows.
#include <cxxabi.h>
#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "cli/emulate_run.hpp"
#include "cli/report.hpp"
#include "text/suggest.hpp"
#include "tileloom/error.hpp"

namespace tileloom::cli {
namespace {

// `axpy` of `void ns::axpy<float>(int, float*)`.
std::string short_name(const std::string& demangled) {
  std::string name = demangled.substr(0, demangled.find_first_of("(<"));
  return name.substr(name.find_last_of(" :") + 1);
}

std::vector<Entry> fitting(const std::vector<emu::Module>& modules, const std::string& wanted) {
  std::vector<Entry> exact;
  std::vector<Entry> part;
  for (const Entry& entry : all_entries(modules)) {
    const std::string name = demangled(entry.kernel->name);
    if (entry.kernel->name == wanted || name == wanted) {
      return {entry};
    }
    if (short_name(name) == wanted) {
      exact.push_back(entry);
    }
    if (name.find(wanted) != std::string::npos) {
      part.push_back(entry);
    }
  }
  return exact.empty() ? part : exact;
}

std::string list_of(const std::vector<Entry>& entries) {
  std::string list;
  for (const Entry& entry : entries) {
    list += (list.empty() ? "" : ", ") + demangled(entry.kernel->name);
  }
  return list;
}

Json entry_json(const emu::Kernel& kernel) {
  Json parameters = Json::array();
  for (const emu::Parameter& p : kernel.parameters) {
    parameters.push_back(
        {{"name", p.name}, {"type", p.type}, {"offset", p.offset}, {"bytes", p.size}, {"align", p.align}});
  }
  return {{"name", demangled(kernel.name)},
          {"ptx_name", kernel.name},
          {"static_shared_bytes", kernel.static_shared_bytes},
          {"max_threads", kernel.max_threads == 0 ? Json(nullptr) : Json(kernel.max_threads)},
          {"parameters", std::move(parameters)}};
}

void entry_text(std::ostream& out, const emu::Kernel& kernel) {
  const std::string name = demangled(kernel.name);
  fmt::print(out, "{}\n", name);
  if (name != kernel.name) {
    fmt::print(out, "  ptx name  {}\n", kernel.name);
  }
  fmt::print(out, "  shared    {} bytes and what the launch adds\n", kernel.static_shared_bytes);
  if (kernel.max_threads != 0) {
    fmt::print(out, "  block     at most {} threads\n", kernel.max_threads);
  }
  for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
    const emu::Parameter& p = kernel.parameters[i];
    fmt::print(out, "  {:<8}  {:<8}  {} bytes  {}\n", fmt::format("arg {}", i), p.type, p.size, p.name);
  }
}

}  // namespace

std::vector<Entry> all_entries(const std::vector<emu::Module>& modules) {
  std::vector<Entry> all;
  for (const emu::Module& module : modules) {
    for (const emu::Kernel& kernel : module.kernels()) {
      all.push_back({&module, &kernel});
    }
  }
  return all;
}

std::string demangled(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status),
                                                         &std::free);
  return status == 0 && name.starts_with("_Z") ? std::string(text.get()) : name;
}

Entry find_entry(const std::vector<emu::Module>& modules, const std::string& path, const std::string& wanted) {
  const std::vector<Entry> all = all_entries(modules);
  const std::vector<Entry> found = fitting(modules, wanted);
  if (found.size() == 1) {
    return found.front();
  }
  if (all.empty()) {
    throw Error(ErrorKind::bad_input, path + ": expected a kernel (.entry), found none");
  }
  if (wanted.empty()) {
    throw Error(ErrorKind::bad_input, fmt::format("{}: expected --entry, for there are {} kernels", path, found.size()),
                "they are " + list_of(found));
  }
  if (!found.empty()) {
    throw Error(
        ErrorKind::bad_input,
        fmt::format("--entry: expected a part of one kernel's name, found '{}', which {} have", wanted, found.size()),
        "they are " + list_of(found));
  }
  std::vector<std::string> names;
  for (const Entry& entry : all) {
    names.push_back(short_name(demangled(entry.kernel->name)));
  }
  const std::string meant = did_you_mean(wanted, names);
  throw Error(ErrorKind::bad_input, fmt::format("--entry: no kernel of {} is named '{}'", path, wanted),
              meant.empty() ? "they are " + list_of(all) : meant);
}

void entries_text(std::ostream& out, const std::vector<emu::Module>& modules) {
  for (const Entry& entry : all_entries(modules)) {
    entry_text(out, *entry.kernel);
  }
}

Json entries_json(const std::vector<emu::Module>& modules, const std::string& path) {
  Json json = {{"file", path}, {"target", to_string(modules.front().target())}, {"entries", Json::array()}};
  for (const Entry& entry : all_entries(modules)) {
    json["entries"].push_back(entry_json(*entry.kernel));
  }
  return json;
}

}  // namespace tileloom::cli
