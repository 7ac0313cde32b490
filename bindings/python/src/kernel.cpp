// SPDX-License-Identifier: Apache-2.0
#include "kernel.hpp"

#include "bindings.hpp"
#include "casts.hpp"
#include "cli/arguments.hpp"
#include "cli/batch_file.hpp"
#include "cli/config_file.hpp"
#include "cli/trace_names.hpp"
#include "integers.hpp"
#include "json.hpp"
#include "kernels/configurations.hpp"
#include "picture.hpp"
#include "render/trace_text.hpp"
#include "tileloom/trace/overview.hpp"

namespace tileloom::python {

namespace {

PyKernel evaluated(PyKernel kernel) {
  const trace::KernelConfig config = cli::read_config(kernel.name, kernel.json, kernel.settings);
  kernel.model = std::make_shared<const trace::Kernel>(build_kernel(config, kernel.sizes));
  return kernel;
}

void add(PyKernel& kernel, const Settings& settings, const Sizes& sizes) {
  for (const auto& [field, value] : settings) {
    kernel.settings.push_back(field + "=" + value);
  }
  for (const auto& [symbol, value] : sizes) {
    kernel.sizes[symbol] =
        cli::parse_count("--size " + symbol, std::to_string(value), 1, std::int64_t{1} << 31);  // the same message
  }
  kernel.shipped &= settings.empty();
}

PyKernel kernel_of_text(const std::string& name, std::string json, const Settings& settings, const Sizes& sizes) {
  PyKernel kernel{name, std::move(json), {}, {}};
  add(kernel, settings, sizes);
  return evaluated(std::move(kernel));
}

using FieldValues = std::map<std::string, nb::object>;

std::string json_of(const nb::handle& value) {
  return nb::cast<std::string>(nb::module_::import_("json").attr("dumps")(value));
}

// Text as it is, everything else as JSON.
Settings settings_of(const FieldValues& values) {
  Settings settings;
  for (const auto& [field, value] : values) {
    settings[field] = nb::isinstance<nb::str>(value) ? nb::cast<std::string>(value) : json_of(value);
  }
  return settings;
}

// What messages call it, and its JSON. Text that begins with a brace is JSON; other text is a file's name.
std::pair<std::string, std::string> text_of_config(const nb::object& config) {
  if (nb::isinstance<nb::dict>(config)) {
    return {"the configuration", json_of(config)};
  }
  const auto text = nb::cast<std::string>(nb::module_::import_("os").attr("fspath")(config));
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first != std::string::npos && text[first] == '{') {
    return {"the configuration", text};
  }
  return {text, cli::read_text(text)};
}

std::string overview_text(const PyKernel& kernel) {
  const trace::Overview overview = trace::overview(*kernel.model);
  return text_of([&](std::ostream& out) { render::overview_text(out, *kernel.model, overview); });
}

std::string representation(const PyKernel& kernel) {
  const trace::Kernel& k = *kernel.model;
  return "<tileloom.Kernel " + (k.config.name.empty() ? kernel.name : k.config.name) + ", tile " +
         std::to_string(k.config.tile[0]) + " x " + std::to_string(k.config.tile[1]) + " x " +
         std::to_string(k.config.tile[2]) + ", " + std::to_string(k.threads()) + " threads>";
}

}  // namespace

PyKernel shipped_kernel(const std::string& name, const Settings& settings, const Sizes& sizes) {
  (void)cli::read_kernel_config(name, {});  // says which names there are
  const auto found = kernels::find_configuration(name);
  PyKernel kernel{std::string(found->name), std::string(found->json), {}, {}, true};
  add(kernel, settings, sizes);
  return evaluated(std::move(kernel));
}

PyKernel replaced(const PyKernel& kernel, const Settings& settings, const Sizes& sizes) {
  PyKernel made = kernel;
  add(made, settings, sizes);
  return evaluated(std::move(made));
}

cli::Json report(const std::string& schema, const PyKernel& kernel, const cli::Json& answer) {
  cli::Json json = {{"schema", schema}, {"kernel", cli::kernel_json(*kernel.model)}};
  json.update(answer);
  return json;
}

void bind_kernel(nb::module_& m) {
  m.def(
      "kernel_names",
      [] {
        std::vector<std::string> names;
        for (const kernels::Configuration& c : kernels::configurations()) {
          names.emplace_back(c.name);
        }
        return names;
      },
      "Names of the shipped kernels that `Kernel` knows; a family's name (multistage, handwritten, smem, simple) "
      "means\n"
      "its default.");

  nb::class_<PyKernel> kernel(
      m, "Kernel",
      "A kernel's configuration, evaluated: its tiled MMA, its copies, the layouts of every stage.\n\n"
      "Made of a shipped kernel's name, or by `Kernel.from_json` of a configuration of your own.");
  kernel
      .def(
          "__init__",
          [](PyKernel* self, const std::string& name, const FieldValues& settings, nb::handle sizes) {
            new (self) PyKernel(shipped_kernel(name, settings_of(settings), integers_argument("sizes", sizes)));
          },
          nb::arg("name"), nb::kw_only(), nb::arg("settings") = FieldValues(), nb::arg("sizes").none() = Sizes(),
          nb::sig("def __init__(self, name: str, *, settings: dict[str, typing.Any] = {}, sizes: dict[str, int] = {}) "
                  "-> None"),
          "name: a shipped kernel, or a family for its default. settings: fields to replace, such as\n"
          "{\"s2r.B\": \"SM75_U32x4_LDSM_N\"}. sizes: values of the matrices' symbols, such as {\"K\": 1024}\n"
          "(4096 where not given).")
      .def_static(
          "from_json",
          [](const nb::object& config, const FieldValues& settings, nb::handle sizes) {
            const auto [name, json] = text_of_config(config);
            return kernel_of_text(name, json, settings_of(settings), integers_argument("sizes", sizes));
          },
          nb::arg("config"), nb::kw_only(), nb::arg("settings") = FieldValues(), nb::arg("sizes").none() = Sizes(),
          nb::sig("def from_json(config: str | os.PathLike[str] | dict[str, typing.Any], *, "
                  "settings: dict[str, typing.Any] = {}, sizes: dict[str, int] = {}) -> Kernel"),
          "A configuration of your own (docs/formats/kernel-config.md): its JSON text, a dict, or a file's path.")
      .def(
          "replace",
          [](const PyKernel& self, const FieldValues& settings, nb::handle sizes) {
            return replaced(self, settings_of(settings), integers_argument("sizes", sizes));
          },
          nb::kw_only(), nb::arg("settings") = FieldValues(), nb::arg("sizes").none() = Sizes(),
          nb::sig("def replace(self, *, settings: dict[str, typing.Any] = {}, sizes: dict[str, int] = {}) -> Kernel"),
          "The same kernel with other fields and sizes. A setting of None takes the field away.")
      .def_prop_ro(
          "name", [](const PyKernel& k) { return k.model->config.name; }, "The configuration's name, perhaps empty.")
      .def_prop_ro(
          "shipped", [](const PyKernel& k) { return k.shipped; },
          "Whether it is a shipped kernel without replaced fields.")
      .def_prop_ro(
          "arch", [](const PyKernel& k) { return to_string(k.model->arch); }, "The GPU it is for, such as `sm_80`.")
      .def_prop_ro(
          "tile", [](const PyKernel& k) { return std::tuple_cat(k.model->config.tile); },
          "Elements of a CTA's tile in M, N and K.")
      .def_prop_ro(
          "stages", [](const PyKernel& k) { return k.model->config.stages; },
          "Tiles of A and B in shared memory at a time.")
      .def_prop_ro(
          "threads", [](const PyKernel& k) { return k.model->threads(); }, "Threads of a CTA.")
      .def_prop_ro(
          "shared_bytes", [](const PyKernel& k) { return k.model->shared_bytes; }, "Shared memory of a CTA.")
      .def_prop_ro(
          "sizes", [](const PyKernel& k) { return Sizes(k.model->sizes.begin(), k.model->sizes.end()); },
          "Value of each symbol of the matrices' layouts.")
      .def_prop_ro(
          "mma", [](const PyKernel& k) { return k.model->mma; }, "The tiled MMA.")
      .def(
          "operand",
          [](const PyKernel& k, const std::string& operand) {
            return k.model->path(cli::parse_operand("operand", operand));
          },
          nb::arg("operand"), "Everything that operand \"A\", \"B\" or \"D\" passes on its way.")
      .def(
          "draw", [](const PyKernel& k, const std::string& part, bool bank) { return kernel_picture(k, part, bank); },
          nb::arg("part") = "mma", nb::kw_only(), nb::arg("bank") = false,
          "A picture: \"mma\", \"atom\", \"smem.A\", \"g2s.A\", \"s2r.A\", \"epilogue.s2g\" ... bank: coloured by "
          "banks\n"
          "of shared memory.")
      .def(
          "to_dict", [](const PyKernel& k) { return to_python(cli::kernel_json(*k.model)); },
          nb::sig("def to_dict(self) -> dict[str, typing.Any]"), "Name, tile, threads, stages, shared bytes, sizes.")
      .def("__str__", &overview_text)
      .def("__repr__", &representation)
      .def("_repr_svg_", [](const PyKernel& k) { return kernel_picture(k, "mma", false).svg(); });
  def_equality(kernel, [](const PyKernel& k) { return std::tuple(k.json, k.settings, k.model->sizes); });
}

}  // namespace tileloom::python
