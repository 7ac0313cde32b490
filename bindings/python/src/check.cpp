// SPDX-License-Identifier: Apache-2.0
// What accesses cost, what would not work, and layouts that cost less.
#include <fmt/format.h>

#include <limits>

#include "bindings.hpp"
#include "casts.hpp"
#include "cli/arguments.hpp"
#include "cli/check_json.hpp"
#include "cli/check_options.hpp"
#include "cli/trace_json.hpp"
#include "integers.hpp"
#include "json.hpp"
#include "kernel.hpp"
#include "render/check_text.hpp"
#include "tileloom/trace/suggest.hpp"

namespace tileloom::python {

namespace {

struct PyCheck {
  PyKernel kernel;
  trace::CheckReport report;

  [[nodiscard]] std::string text() const {
    return text_of([&](std::ostream& out) { render::check_text(out, *kernel.model, report); });
  }
};

struct PySuggestion {
  PyKernel kernel;  // that it was made for
  trace::Suggestion model;
};

struct PyOperandSuggestions {
  PyKernel kernel;
  trace::OperandSuggestions model;

  [[nodiscard]] std::vector<PySuggestion> best() const {
    std::vector<PySuggestion> made;
    for (const trace::Suggestion& s : model.best) {
      made.push_back({kernel, s});
    }
    return made;
  }
};

struct PySuggestions {
  PyKernel kernel;
  trace::Suggestions model;

  [[nodiscard]] std::string text() const {
    return text_of([&](std::ostream& out) { render::suggestions_text(out, *kernel.model, model); });
  }
  [[nodiscard]] std::vector<PyOperandSuggestions> operands() const {
    std::vector<PyOperandSuggestions> made;
    for (const trace::OperandSuggestions& o : model.operands) {
      made.push_back({kernel, o});
    }
    return made;
  }
};

Settings settings_of(const trace::Suggestion& s) {
  return {s.settings.begin(), s.settings.end()};
}

const char* verdict_name(trace::Verdict verdict) {
  switch (verdict) {
    case trace::Verdict::good:
      return "good";
    case trace::Verdict::bad:
      return "bad";
    case trace::Verdict::note:
      break;
  }
  return "note";
}

// Not negative; whatever Python takes as an index.
std::optional<int> most_conflicts(const nb::object& given) {
  if (given.is_none()) {
    return std::nullopt;
  }
  const auto number = nb::steal<nb::object>(PyBool_Check(given.ptr()) != 0 ? nullptr : PyNumber_Index(given.ptr()));
  PyErr_Clear();
  const auto text = nb::cast<std::string>(number.is_valid() ? nb::str(number) : nb::str(nb::repr(given)));
  return static_cast<int>(cli::parse_count("max_conflicts", text, 0, std::numeric_limits<int>::max()));
}

PyCheck check(const PyKernel& asked, const nb::object& max_conflicts, nb::handle given_sizes) {
  const Sizes sizes = integers_argument("sizes", given_sizes);
  const PyKernel kernel = sizes.empty() ? asked : replaced(asked, {}, sizes);
  trace::CheckOptions options = cli::check_options(*kernel.model, kernel.shipped);
  options.max_conflicts = most_conflicts(max_conflicts);
  return {kernel, check_kernel(*kernel.model, options)};
}

std::string cost_words(const trace::SiteCost& site) {
  if (!site.shared) {
    return site.global
               ? fmt::format("{} sectors, ideal {}", site.global->worst.sectors, site.global->worst.ideal_sectors)
               : site.memory;
  }
  const auto& worst = site.shared->worst;
  const std::string least = worst.low == worst.high ? "" : fmt::format("{} to ", worst.low);
  return fmt::format("{}{} wavefronts, ideal {}", least, worst.high, worst.ideal);
}

void bind_costs(nb::module_& m) {
  using trace::GlobalCost;
  using trace::SharedCost;
  nb::class_<SharedCost>(m, "SharedCost", "Wavefronts of shared memory at one site; a range where the rules leave one.")
      .def_prop_ro(
          "low", [](const SharedCost& c) { return c.worst.low; }, "Of one instruction, at least.")
      .def_prop_ro(
          "high", [](const SharedCost& c) { return c.worst.high; }, "Of one instruction, at most.")
      .def_prop_ro(
          "ideal", [](const SharedCost& c) { return c.worst.ideal; }, "The same without a conflict.")
      .def_prop_ro(
          "exact", [](const SharedCost& c) { return c.worst.exact; }, "Whether measurements settle it.")
      .def_prop_ro(
          "rule", [](const SharedCost& c) { return std::string(c.worst.rule); }, "Its name.")
      .def_ro("instructions", &SharedCost::instructions, "Of all warps, for one k-tile or one slab.")
      .def_ro("all_low", &SharedCost::low, "Of all of them together, at least.")
      .def_ro("all_high", &SharedCost::high, "Of all of them together, at most.")
      .def_ro("all_ideal", &SharedCost::ideal, "Of all of them without conflicts.");
  nb::class_<GlobalCost>(m, "GlobalCost", "Sectors of global memory at one site.")
      .def_prop_ro(
          "sectors", [](const GlobalCost& c) { return c.worst.sectors; }, "Of one request.")
      .def_prop_ro(
          "ideal", [](const GlobalCost& c) { return c.worst.ideal_sectors; }, "The fewest for its bytes.")
      .def_prop_ro(
          "lines", [](const GlobalCost& c) { return c.worst.lines; }, "Lines of 128 bytes of one request.")
      .def_ro("requests", &GlobalCost::requests, "Of all warps.")
      .def_ro("all_sectors", &GlobalCost::sectors, "Of all of them together.")
      .def_ro("all_ideal", &GlobalCost::ideal_sectors, "The fewest for all of them.");
  nb::class_<trace::SiteCost>(m, "SiteCost", "One end of one copy.")
      .def_ro("site", &trace::SiteCost::site, "Such as `A: global -> shared`.")
      .def_ro("memory", &trace::SiteCost::memory, "\"global\" or \"shared\".")
      .def_ro("atom", &trace::SiteCost::atom, "The instruction.")
      .def_ro("width", &trace::SiteCost::width, "Bytes that one lane moves.")
      .def_ro("alignment", &trace::SiteCost::alignment, "Bytes that every address is known to be a multiple of.")
      .def_ro("limited_by", &trace::SiteCost::limited_by, "The stride that keeps it below the width; often empty.")
      .def_ro("shared", &trace::SiteCost::shared, "Of shared memory, else None.")
      .def_ro("global_memory", &trace::SiteCost::global, "Of global memory, else None.")
      .def_prop_ro(
          "conflicts",
          [](const trace::SiteCost& s) { return s.shared ? s.shared->worst.high - s.shared->worst.ideal : 0; },
          "Wavefronts of one instruction beyond its ideal, at most; 0 for global memory.")
      .def("__repr__",
           [](const trace::SiteCost& s) { return "<tileloom.SiteCost " + s.site + ": " + cost_words(s) + ">"; });
  nb::class_<trace::Property>(m, "Property", "One thing that was looked at.")
      .def_ro("name", &trace::Property::name, "Such as `alignment`.")
      .def_prop_ro(
          "verdict", [](const trace::Property& p) { return verdict_name(p.verdict); }, "\"good\", \"bad\" or \"note\".")
      .def_ro("text", &trace::Property::text, "What was found, beside the limit.")
      .def_ro("hint", &trace::Property::hint, "The way out, or empty.")
      .def_ro("findings", &trace::Property::findings, "Where it fails, piece by piece.")
      .def_ro("found", &trace::Property::found, "How many there are, also beyond those listed.")
      .def("__repr__", [](const trace::Property& p) {
        return std::string("<") + verdict_name(p.verdict) + "  " + p.name + "  " + p.text + ">";
      });
}

void bind_report(nb::module_& m) {
  nb::class_<PyCheck> checked(m, "CheckReport",
                              "What `tileloom check` says of a kernel; its text is what the command prints.");
  checked.def_ro("kernel", &PyCheck::kernel, "The kernel that was checked.")
      .def_prop_ro(
          "ok", [](const PyCheck& c) { return c.report.ok(); }, "Whether nothing is bad.")
      .def_prop_ro(
          "sites", [](const PyCheck& c) { return c.report.sites; }, "What each access costs.")
      .def_prop_ro(
          "properties", [](const PyCheck& c) { return c.report.properties; }, "What was looked at.")
      .def_prop_ro(
          "failures",
          [](const PyCheck& c) {
            std::vector<trace::Property> bad = c.report.properties;
            std::erase_if(bad, [](const trace::Property& p) { return p.verdict != trace::Verdict::bad; });
            return bad;
          },
          "The properties that are bad.")
      .def_prop_ro(
          "slabs", [](const PyCheck& c) { return c.report.slabs; },
          "Parts of the output tile; the costs of D are those of one.")
      .def(
          "to_dict",
          [](const PyCheck& c) { return to_python(report("tileloom.check/1", c.kernel, cli::check_json(c.report))); },
          nb::sig("def to_dict(self) -> dict[str, typing.Any]"),
          "What `tileloom check --json` prints, without the fields about the program and its arguments.")
      .def("__bool__", [](const PyCheck& c) { return c.report.ok(); })
      .def("__repr__",
           [](const PyCheck& c) {
             return std::string("<tileloom.CheckReport ") + c.kernel.model->config.name +
                    (c.report.ok() ? ": good>" : ": bad>");
           })
      .def("__str__", &PyCheck::text);
  def_equality(checked, [](const PyCheck& c) { return report("", c.kernel, cli::check_json(c.report)); });
}

void bind_suggestion(nb::module_& m) {
  nb::class_<trace::LayoutCost>(m, "LayoutCost", "What a layout costs at both ends.")
      .def_ro("write", &trace::LayoutCost::write, "None: no such copy.")
      .def_ro("read", &trace::LayoutCost::read, "None: no such copy.")
      .def_prop_ro("excess", &trace::LayoutCost::excess, "Wavefronts beyond those without conflicts.");
  nb::class_<PySuggestion>(m, "Suggestion", "A layout of shared memory.")
      .def_prop_ro(
          "what", [](const PySuggestion& s) { return s.model.what; }, "In a few words.")
      .def_prop_ro(
          "settings", [](const PySuggestion& s) { return settings_of(s.model); },
          "Fields of the configuration and their values.")
      .def_prop_ro(
          "cost", [](const PySuggestion& s) { return s.model.cost; }, "With it.")
      .def_prop_ro(
          "shared_bytes", [](const PySuggestion& s) { return s.model.shared_bytes; }, "Of a CTA, with it.")
      .def(
          "apply", [](const PySuggestion& s) { return replaced(s.kernel, settings_of(s.model), {}); },
          "The kernel with this layout.");
  nb::class_<PyOperandSuggestions>(m, "OperandSuggestions", "Layouts of one operand, the best first.")
      .def_prop_ro(
          "operand", [](const PyOperandSuggestions& o) { return std::string(1, letter(o.model.operand)); },
          "\"A\", \"B\" or \"C\", the output tile.")
      .def_prop_ro(
          "now", [](const PyOperandSuggestions& o) { return o.model.now; }, "What it costs as it is.")
      .def_prop_ro("best", &PyOperandSuggestions::best, "Up to three.")
      .def_prop_ro(
          "searched", [](const PyOperandSuggestions& o) { return o.model.searched; }, "How many layouts.");
  nb::class_<PySuggestions> suggestions(
      m, "Suggestions", "Layouts of shared memory with fewer conflicts; the text is what the command prints.");
  suggestions.def_prop_ro("operands", &PySuggestions::operands, "Those in shared memory.")
      .def(
          "to_dict", [](const PySuggestions& s) { return to_python(cli::suggestions_json(s.model)); },
          nb::sig("def to_dict(self) -> dict[str, typing.Any]"), "The field `suggestions` of `tileloom check --json`.")
      .def("__str__", &PySuggestions::text)
      .def("__repr__", &summary);
  def_equality(suggestions, [](const PySuggestions& s) { return cli::suggestions_json(s.model); });
}

}  // namespace

void bind_check(nb::module_& m) {
  bind_costs(m);
  bind_report(m);
  bind_suggestion(m);
  nb::borrow<nb::class_<PyKernel>>(m.attr("Kernel"))
      .def("check", &check, nb::kw_only(), nb::arg("max_conflicts") = nb::none(), nb::arg("sizes").none() = Sizes(),
           nb::sig("def check(self, *, max_conflicts: int | None = None, sizes: dict[str, int] = {}) -> CheckReport"),
           "What every memory access costs, and what would not work, as `tileloom check` says it.\n\n"
           "max_conflicts: wavefronts that an instruction may take beyond its ideal (any number if None).\n"
           "sizes: values of the matrices' symbols, where not those of the kernel.")
      .def(
          "suggest",
          [](const PyKernel& k) {
            return PySuggestions{k, suggest_layouts(*k.model)};
          },
          nb::call_guard<nb::gil_scoped_release>(),
          "Searches swizzles and paddings of shared memory for fewer conflicts of the write and the read.");
}

}  // namespace tileloom::python
