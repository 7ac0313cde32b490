// SPDX-License-Identifier: Apache-2.0
#include "picture.hpp"

#include "bindings.hpp"
#include "casts.hpp"
#include "cli/draw_json.hpp"
#include "cli/draw_parts.hpp"
#include "json.hpp"
#include "kernel.hpp"
#include "render/draw/latex.hpp"
#include "render/draw/svg.hpp"

namespace tileloom::python {

std::string PyPicture::svg() const {
  return text_of([&](std::ostream& out) { write_svg(out, model); });
}

std::string PyPicture::latex() const {
  return text_of([&](std::ostream& out) { write_latex(out, model); });
}

PyPicture kernel_picture(const PyKernel& kernel, const std::string& part, bool bank) {
  return {cli::part_picture(*kernel.model, part, bank)};
}

void bind_picture(nb::module_& m) {
  nb::class_<PyPicture> picture(m, "Picture",
                                "Panels of labelled cells, as `tileloom draw` draws them. Notebooks show it.");
  picture
      .def_prop_ro(
          "title", [](const PyPicture& p) { return p.model.title; }, "The first line.")
      .def_prop_ro(
          "notes", [](const PyPicture& p) { return p.model.notes; }, "The lines under the title.")
      .def("svg", &PyPicture::svg, "The picture as SVG 1.1, one file with nothing from outside.")
      .def("latex", &PyPicture::latex, "The picture as a standalone LaTeX document (TikZ).")
      .def(
          "to_dict", [](const PyPicture& p) { return to_python(cli::picture_json(p.model)); },
          nb::sig("def to_dict(self) -> dict[str, typing.Any]"), "The model: panels, cells, who holds what.")
      .def("__repr__", [](const PyPicture& p) { return "<tileloom.Picture " + p.model.title + ">"; })
      .def("_repr_svg_", &PyPicture::svg);
  def_equality(picture, [](const PyPicture& p) { return cli::picture_json(p.model); });
}

}  // namespace tileloom::python
