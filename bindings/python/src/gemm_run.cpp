// SPDX-License-Identifier: Apache-2.0
// A shipped kernel's product on the emulator, with everything that the emulator sees.
#include "bindings.hpp"
#include "casts.hpp"
#include "cli/arguments.hpp"
#include "cli/counters_json.hpp"
#include "cli/finding_json.hpp"
#include "cli/gemm_follow.hpp"
#include "cli/gemm_json.hpp"
#include "gemm_options.hpp"
#include "json.hpp"
#include "render/counters_text.hpp"
#include "render/finding_text.hpp"
#include "signals.hpp"
#include "tileloom/error.hpp"

namespace tileloom::python {

namespace {

using cli::Json;

struct PyGemmRun {
  GemmProblem problem;
  GemmConfiguration configuration;
  GemmReport report;
  bool checked = false;
  std::optional<cli::MatrixElement> followed = {};
  std::optional<emu::SumPlace> sum = {};
  nb::object d = {};
};

// An array of numpy's: its address, rows, columns and the elements from one row to the next.
using Matrix = std::tuple<std::uintptr_t, std::int64_t, std::int64_t, std::int64_t>;

GemmProblem problem_of(const Matrix& a, const Matrix& b, std::int64_t ldd, const std::string& accumulate) {
  const auto& [a_at, m, k, lda] = a;
  const auto& [b_at, n, b_columns, ldb] = b;
  if (b_columns != k) {
    throw Error(ErrorKind::bad_input,
                "a and b: expected the same number of columns, found " + std::to_string(k) + " and " +
                    std::to_string(b_columns),
                "the product is A·Bᵀ: a is M x K, b is N x K");
  }
  return {m, n, k, lda, ldb, ldd, accumulate_of(accumulate)};
}

PyGemmRun emulate_gemm(const Matrix& a, const Matrix& b, const Matrix& d, const nb::object& array,
                       const std::string& accumulate, const std::string& kernel, const std::string& arch, int stages,
                       int raster_width, bool check, bool counters, const std::optional<std::string>& follow,
                       unsigned threads) {
  PyGemmRun run{problem_of(a, b, std::get<3>(d), accumulate), {}, {}, check};
  run.d = array;
  run.configuration = configure(run.problem, options_of("emulator", arch, kernel, stages, raster_width));
  if (follow) {
    run.followed = cli::parse_matrix_element(*follow);
  }
  LaunchControl control;
  control.host_threads = threads;
  control.check = check;
  control.count = counters;
  control.progress = go_on_unless_interrupted;
  const auto pointer = [](const Matrix& m) { return reinterpret_cast<void*>(std::get<0>(m)); };  // NOLINT
  const GemmOperands operands{pointer(a), pointer(b), pointer(d)};
  const nb::gil_scoped_release released;
  if (run.followed) {
    run.sum = cli::follow_element(*run.followed, run.problem, run.configuration, operands, control);
  }
  run.report = launch_host(run.problem, run.configuration, operands, control);
  return run;
}

bool is_good(const PyGemmRun& run) {
  return run.report.findings.empty() && run.report.uninitialised_reads.empty();
}

std::string text(const PyGemmRun& run) {
  return text_of([&](std::ostream& out) {
    out << to_string(run.problem) << ", kernel " << run.configuration.kernel << ", emulator of "
        << to_string(run.configuration.arch) << '\n';
    if (run.checked) {
      out << "checked   " << render::count_findings(run.report.findings, run.report.uninitialised_reads) << '\n';
      render::findings_text(out, run.report.findings, run.report.uninitialised_reads);
    }
    if (run.report.counters) {
      render::counters_text(out, *run.report.counters, render::CountersBy::line);
    }
    if (run.report.provenance) {
      cli::followed_text(out, *run.followed, run.problem, *run.report.provenance, run.sum);
    }
  });
}

Json json_of(const PyGemmRun& run) {
  const GemmReport& r = run.report;
  return {{"schema", "tileloom.gemm/1"},
          {"problem", cli::problem_json(run.problem)},
          {"configuration", cli::configuration_json(run.configuration)},
          {"run", {{"seconds", r.seconds}, {"warp_instructions", r.warp_instructions}, {"warnings", r.warnings}}},
          {"findings", run.checked ? cli::findings_json(r.findings) : Json(nullptr)},
          {"uninitialised_reads", run.checked ? cli::uninitialised_reads_json(r.uninitialised_reads) : Json(nullptr)},
          {"counters", r.counters ? cli::counters_json(*r.counters) : Json(nullptr)},
          {"followed", r.provenance ? cli::followed_json(*run.followed, *r.provenance, run.sum) : Json(nullptr)}};
}

}  // namespace

void bind_gemm_run(nb::module_& m) {
  nb::class_<PyGemmRun>(m, "GemmEmulation", "A product on the emulator and what was seen of it.")
      .def_ro("d", &PyGemmRun::d, nb::sig("def d(self) -> typing.Any"), "The product, a numpy array of float16.")
      .def_prop_ro(
          "kernel", [](const PyGemmRun& r) { return r.configuration.kernel; }, "The kernel that ran.")
      .def_prop_ro("ok", &is_good, "Whether nothing was found.")
      .def_prop_ro(
          "races", [](const PyGemmRun& r) { return r.report.findings; }, "Of a checked run.")
      .def_prop_ro(
          "uninitialised_reads", [](const PyGemmRun& r) { return r.report.uninitialised_reads; }, "Of a checked run.")
      .def_prop_ro(
          "counters", [](const PyGemmRun& r) { return r.report.counters; }, "Of a counted run, or None.")
      .def_prop_ro(
          "followed", [](const PyGemmRun& r) { return r.report.provenance; }, "Of a followed run, or None.")
      .def_prop_ro(
          "warp_instructions", [](const PyGemmRun& r) { return r.report.warp_instructions; }, "Executed.")
      .def_prop_ro(
          "seconds", [](const PyGemmRun& r) { return r.report.seconds; }, "That it took here.")
      .def(
          "to_dict", [](const PyGemmRun& r) { return to_python(json_of(r)); },
          nb::sig("def to_dict(self) -> dict[str, typing.Any]"), "These fields of `tileloom gemm --json`.")
      .def("__bool__", &is_good)
      .def("__str__", &text)
      .def("__repr__", [](const PyGemmRun& r) {
        return "<tileloom.GemmEmulation " + to_string(r.problem) + ", kernel " + r.configuration.kernel + ">";
      });
  m.def("_emulate_gemm", &emulate_gemm, nb::arg("a"), nb::arg("b"), nb::arg("d"), nb::arg("array"), nb::kw_only(),
        nb::arg("accumulate"), nb::arg("kernel"), nb::arg("arch"), nb::arg("stages"), nb::arg("raster_width"),
        nb::arg("check"), nb::arg("counters"), nb::arg("follow").none(), nb::arg("threads"),
        "The work of `emulate_gemm`; matrices are (address, rows, columns, row stride in elements).");
}

}  // namespace tileloom::python
