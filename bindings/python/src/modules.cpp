// SPDX-License-Identifier: Apache-2.0
// Files of kernels.
#include "bindings.hpp"
#include "casts.hpp"
#include "cli/emulate_output.hpp"
#include "json.hpp"
#include "run.hpp"
#include "tileloom/emu/image.hpp"
#include "tileloom/error.hpp"

namespace tileloom::python {

namespace {

PyModule load(const std::string& path, const std::string& arch_name) {
  const hw::Arch arch = hw::parse_arch(arch_name);
  const nb::gil_scoped_release released;
  return {path, arch, cli::load_modules(path, arch)};
}

// Of whatever has the buffer protocol.
std::vector<std::byte> bytes_of_buffer(nb::handle data) {
  if (PyObject_CheckBuffer(data.ptr()) == 0) {
    const auto found = nb::cast<std::string>(data.type().attr("__name__"));
    throw Error(ErrorKind::bad_input, "data: expected bytes, found " + found,
                nb::isinstance<nb::str>(data) ? "Module.from_ptx takes text, Module.load a path" : "");
  }
  const nb::object bytes = nb::steal(PyBytes_FromObject(data.ptr()));
  if (!bytes.is_valid()) {
    nb::raise_python_error();
  }
  return bytes_of(nb::borrow<nb::bytes>(bytes));
}

PyModule from_bytes(nb::handle data, const std::string& name, const std::string& arch_name) {
  const hw::Arch arch = hw::parse_arch(arch_name);
  const std::vector<std::byte> copy = bytes_of_buffer(data);
  const nb::gil_scoped_release released;
  PyModule made{name, arch, {}};
  for (emu::PtxImage& image : emu::images_for(emu::read_images(copy, name), arch, name)) {
    made.modules.push_back(emu::Module::from_ptx(image.text, std::move(image.name)));
  }
  return made;
}

PyModule from_ptx(const std::string& text, const std::string& name, const std::string& arch_name) {
  const hw::Arch arch = hw::parse_arch(arch_name);
  const nb::gil_scoped_release released;
  PyModule made{name, arch, {}};
  made.modules.push_back(emu::Module::from_ptx(text, name));
  return made;
}

std::vector<emu::Kernel> kernels_of(const PyModule& m) {
  std::vector<emu::Kernel> kernels;
  for (const cli::Entry& entry : cli::all_entries(m.modules)) {
    kernels.push_back(*entry.kernel);
  }
  return kernels;
}

}  // namespace

void bind_module(nb::module_& m) {
  nb::class_<emu::Parameter>(m, "Parameter", "A parameter of a kernel, as PTX declares it.")
      .def_ro("name", &emu::Parameter::name, "In PTX.")
      .def_ro("type", &emu::Parameter::type, "`u64`; of a struct `b8[16]`.")
      .def_ro("offset", &emu::Parameter::offset, "Its first byte among the parameters.")
      .def_ro("bytes", &emu::Parameter::size, "Its size.")
      .def_ro("align", &emu::Parameter::align, "In bytes.")
      .def("__repr__", [](const emu::Parameter& p) { return "<tileloom.Parameter " + p.type + " " + p.name + ">"; });
  nb::class_<emu::Kernel>(m, "KernelEntry", "A kernel of a module.")
      .def_prop_ro(
          "name", [](const emu::Kernel& k) { return cli::demangled(k.name); }, "As C++ writes it.")
      .def_ro("ptx_name", &emu::Kernel::name, "As PTX has it.")
      .def_ro("parameters", &emu::Kernel::parameters, "In order.")
      .def_ro("static_shared_bytes", &emu::Kernel::static_shared_bytes, "To which a launch adds dynamic ones.")
      .def_ro("max_threads", &emu::Kernel::max_threads, "Of a CTA; 0 where it is not stated.")
      .def("__repr__", [](const emu::Kernel& k) { return "<tileloom.KernelEntry " + cli::demangled(k.name) + ">"; });
  nb::class_<PyModule>(m, "Module", "A file's kernels, decoded once; launches share it.")
      .def_static("load", &load, nb::arg("path"), nb::arg("arch") = "sm_90",
                  "From a file: PTX; a fatbin, object, library or executable of nvcc's; a .cu, which nvcc compiles.\n"
                  "arch: the GPU that is modelled; of several images the newest that it can run is taken.")
      .def_static("from_ptx", &from_ptx, nb::arg("text"), nb::arg("name") = "ptx", nb::arg("arch") = "sm_90",
                  "From PTX text. name: what messages call it.")
      .def_static("from_bytes", &from_bytes, nb::arg("data").none(), nb::arg("name") = "image",
                  nb::arg("arch") = "sm_90",
                  nb::sig("def from_bytes(data: bytes | bytearray | memoryview, name: str = 'image', arch: str = "
                          "'sm_90') -> Module"),
                  "From a file's bytes: PTX or what holds a fatbin. name: what messages call it.")
      .def_prop_ro(
          "name", [](const PyModule& s) { return s.path; }, "The file, or what it was called.")
      .def_prop_ro(
          "arch", [](const PyModule& s) { return to_string(s.arch); }, "The GPU that is modelled.")
      .def_prop_ro("kernels", &kernels_of, "In the order of the file.")
      .def(
          "kernel",
          [](const PyModule& s, const std::string& name) { return *cli::find_entry(s.modules, s.path, name).kernel; },
          nb::arg("name") = "",
          "The kernel of this name: PTX's, C++'s, or any part of it that one kernel alone has; empty: the only one.")
      .def(
          "to_dict",
          [](const PyModule& s) {
            cli::Json json = {{"schema", "tileloom.emulate-list/1"}};
            json.update(cli::entries_json(s.modules, s.path));
            return to_python(json);
          },
          nb::sig("def to_dict(self) -> dict[str, typing.Any]"),
          "What `tileloom emulate --list --json` prints, without the fields about the program and its arguments.")
      .def("__str__",
           [](const PyModule& s) { return text_of([&](std::ostream& out) { cli::entries_text(out, s.modules); }); })
      .def("__repr__", [](const PyModule& s) { return "<tileloom.Module " + s.path + ">"; });
}

}  // namespace tileloom::python
