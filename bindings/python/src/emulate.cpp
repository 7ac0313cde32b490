// SPDX-License-Identifier: Apache-2.0
// Launches in the emulator. tileloom/_arguments.py turns what a user passes into arguments.
#include "bindings.hpp"
#include "casts.hpp"
#include "cli/emulate_launch.hpp"
#include "cli/emulate_output.hpp"
#include "json.hpp"
#include "run.hpp"
#include "signals.hpp"
#include "tileloom/error.hpp"

namespace tileloom::python {

namespace {

using Dim3 = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;

nb::bytes to_bytes(const std::vector<std::byte>& bytes) {
  return nb::bytes(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

// --- Arguments ---------------------------------------------------------------------------------------------------

// A tuple that begins with its kind and its name; the rest is what the kind needs.
cli::KernelArgument argument_of(const nb::tuple& given, const std::vector<cli::KernelArgument>& before) {
  const auto kind = nb::cast<std::string>(given[0]);
  const auto name = nb::cast<std::string>(given[1]);
  if (kind == "text") {
    return cli::parse_kernel_argument(name + "=" + nb::cast<std::string>(given[2]), before);
  }
  if (kind == "alias") {
    const auto [index, offset] = nb::cast<std::pair<std::size_t, std::uint64_t>>(given[2]);
    const cli::KernelArgument& shared = before.at(index);
    if (std::holds_alternative<cli::ValueArgument>(shared.what)) {
      throw Error(ErrorKind::bad_input, "argument " + name + ": expected the name of an array, found " + shared.name +
                                            ", which is " + type_text(shared, before));
    }
    return {name, "@" + shared.name, cli::AliasArgument{index, offset}};
  }
  const auto type = nb::cast<std::string>(given[2]);
  std::vector<std::byte> bytes = bytes_of(nb::cast<nb::bytes>(given[3]));
  if (kind == "value") {
    return {name, type, cli::ValueArgument{type, std::move(bytes)}};
  }
  cli::BufferArgument buffer{cli::find_element_type(type), nb::cast<std::vector<std::int64_t>>(given[4]),
                             std::move(bytes)};
  buffer.written = nb::cast<bool>(given[5]);
  buffer.writable = nb::cast<bool>(given[6]);
  return {name, "", std::move(buffer)};
}

std::vector<cli::KernelArgument> arguments_of(const nb::list& given) {
  std::vector<cli::KernelArgument> arguments;
  for (const nb::handle one : given) {
    arguments.push_back(argument_of(nb::cast<nb::tuple>(one), arguments));
    cli::KernelArgument& made = arguments.back();
    made.text = made.text.empty() ? type_text(made, arguments) : made.text;
  }
  return arguments;
}

// A module was chosen for its architecture, so a launch cannot have another.
void check_arch(const PyModule& module, const std::optional<std::string>& arch) {
  if (arch && hw::parse_arch(*arch) != module.arch) {
    throw Error(ErrorKind::bad_input,
                "arch: expected " + to_string(module.arch) + ", which the module was loaded for, found " + *arch,
                "load the module for it: Module.load(path, arch=\"" + *arch + "\")");
  }
}

emu::Dim3 dim3(const Dim3& d) {
  return {std::get<0>(d), std::get<1>(d), std::get<2>(d)};
}

// --- The launch --------------------------------------------------------------------------------------------------

PyRun launch(const PyModule& module, const std::string& entry_name, const nb::list& arguments, const Dim3& grid,
             const Dim3& block, std::uint32_t shared, const std::optional<std::string>& arch, bool check, bool counters,
             const std::optional<std::string>& follow, const std::string& delivery,
             std::optional<std::uint64_t> schedule, std::uint64_t max_instructions, unsigned threads,
             const std::optional<std::string>& ignore) {
  check_arch(module, arch);
  PyRun run;
  cli::EmulateRequest& request = run.request;
  request.path = module.path;
  request.entry = entry_name;
  request.arguments = arguments_of(arguments);
  emu::LaunchOptions& options = request.options;
  options.grid = dim3(grid);
  options.block = dim3(block);
  options.dynamic_shared_bytes = shared;
  options.arch = module.arch;
  options.host_threads = threads;
  options.max_instructions = max_instructions;
  options.check = check;
  options.count = counters;
  options.delivery = cli::parse_delivery(delivery);
  options.schedule = schedule;
  if (counters) {
    request.counters = render::CountersBy::line;
  }
  if (follow) {
    options.follow = cli::parse_followed_argument(*follow, request.arguments);
  }
  if (ignore) {
    request.ignores = cli::read_ignore_file(*ignore);
  }
  const cli::Entry entry = cli::find_entry(module.modules, module.path, entry_name);
  options.progress = go_on_unless_interrupted;
  {
    const nb::gil_scoped_release released;
    run.outcome = cli::Launch(entry, request).run(request);
  }
  options.progress = nullptr;
  return run;
}

// What the kernel did wrong while it ran, as an exception.
void raise_failure(const PyRun& run) {
  if (run.outcome.report.failure) {
    throw Error(ErrorKind::check_failed, run.outcome.report.failure->message);
  }
}

void raise_findings(const PyRun& run) {
  if (!run.outcome.good()) {
    throw Error(ErrorKind::check_failed, what_failed(run.request, run.outcome));
  }
}

nb::list buffers(const PyRun& run) {
  nb::list all;
  for (const cli::KernelArgument& argument : run.request.arguments) {
    if (const auto* buffer = std::get_if<cli::BufferArgument>(&argument.what)) {
      all.append(nb::make_tuple(argument.name, std::string(buffer->type->name), nb::cast(buffer->shape),
                                to_bytes(buffer->bytes)));
    }
  }
  return all;
}

std::string run_text(const PyRun& run) {
  return text_of([&](std::ostream& out) {
    emulate_headline(out, run.request, run.outcome.kernel);
    emulate_text(out, run.request, run.outcome);
  });
}

cli::Json run_json(const PyRun& run) {
  cli::Json json = {{"schema", "tileloom.emulate/1"}};
  json.update(emulate_json(run.request, run.outcome));
  return json;
}

// Races first, then uninitialised reads.
nb::list findings(const std::vector<emu::Finding>& races, const std::vector<emu::UninitialisedRead>& reads) {
  nb::list all;
  for (const emu::Finding& race : races) {
    all.append(nb::cast(race));
  }
  for (const emu::UninitialisedRead& read : reads) {
    all.append(nb::cast(read));
  }
  return all;
}

void bind_run(nb::module_& m) {
  nb::class_<emu::Failure>(m, "Failure", "What ended a launch: the kernel did something wrong.")
      .def_ro("kind", &emu::Failure::kind, "Such as `out of bounds`, `misaligned`, `deadlock`.")
      .def_ro("text", &emu::Failure::message, "Names the line, the instruction, the thread and the buffer.")
      .def("__str__", [](const emu::Failure& f) { return f.message; })
      .def("__repr__", [](const emu::Failure& f) { return "<" + f.message + ">"; });
  nb::class_<PyRun>(m, "_Run", "A launch in the emulator and what was seen of it.", nb::dynamic_attr())
      .def_prop_ro(
          "kernel", [](const PyRun& r) { return r.outcome.kernel; }, "Its name, as C++ writes it.")
      .def_prop_ro(
          "ok", [](const PyRun& r) { return r.outcome.good(); }, "Whether it ran to its end without a finding.")
      .def_prop_ro(
          "failure", [](const PyRun& r) { return r.outcome.report.failure; }, "What ended it, or None.")
      .def_prop_ro(
          "findings",
          [](const PyRun& r) { return findings(r.outcome.report.findings, r.outcome.report.uninitialised_reads); },
          nb::sig("def findings(self) -> list[Race | UninitialisedRead]"), "Of a checked launch.")
      .def_prop_ro(
          "races", [](const PyRun& r) { return r.outcome.report.findings; }, "Of a checked launch.")
      .def_prop_ro(
          "uninitialised_reads", [](const PyRun& r) { return r.outcome.report.uninitialised_reads; },
          "Of a checked launch.")
      .def_prop_ro(
          "ignored",
          [](const PyRun& r) { return findings(r.outcome.ignored.findings, r.outcome.ignored.uninitialised_reads); },
          nb::sig("def ignored(self) -> list[Race | UninitialisedRead]"), "Findings that the file `ignore` accepts.")
      .def_prop_ro(
          "counters", [](const PyRun& r) { return r.outcome.report.counters; }, "Of a counted launch, or None.")
      .def_prop_ro(
          "followed", [](const PyRun& r) { return r.outcome.report.provenance; }, "Of a followed launch, or None.")
      .def_prop_ro(
          "seconds", [](const PyRun& r) { return r.outcome.seconds; }, "That the launch took here.")
      .def_prop_ro(
          "warp_instructions", [](const PyRun& r) { return r.outcome.report.warp_instructions; }, "Executed.")
      .def_prop_ro(
          "notes", [](const PyRun& r) { return emulate_notes(r.request, r.outcome); },
          "What one must know before trusting the result.")
      .def("raise_for_failure", &raise_failure, "Raises CheckFailed where the kernel did something that ended it.")
      .def("raise_for_findings", &raise_findings, "Raises CheckFailed where there is a failure or a finding.")
      .def("_buffers", &buffers, "Name, type, shape and bytes of each buffer.")
      .def(
          "to_dict", [](const PyRun& r) { return to_python(run_json(r)); },
          nb::sig("def to_dict(self) -> dict[str, typing.Any]"),
          "What `tileloom emulate --json` prints, without the fields about the program and its arguments.")
      .def("__str__", &run_text);
}

}  // namespace

void bind_emulate(nb::module_& m) {
  bind_findings(m);
  bind_counters(m);
  bind_provenance(m);
  bind_module(m);
  bind_run(m);
  m.def("_launch", &launch, nb::arg("module"), nb::arg("entry"), nb::arg("arguments"), nb::kw_only(), nb::arg("grid"),
        nb::arg("block"), nb::arg("shared"), nb::arg("arch").none(), nb::arg("check"), nb::arg("counters"),
        nb::arg("follow").none(), nb::arg("delivery"), nb::arg("schedule").none(), nb::arg("max_instructions"),
        nb::arg("threads"), nb::arg("ignore").none(),
        "The launch behind `Module.launch`; arguments are those of tileloom/_arguments.py.");
}

}  // namespace tileloom::python
