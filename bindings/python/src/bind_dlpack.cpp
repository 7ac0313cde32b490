// SPDX-License-Identifier: Apache-2.0
// A matrix of ours, which other libraries take.
#include <fmt/format.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <array>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include "bindings.hpp"
#include "dlpack.hpp"
#include "gemm/cuda_context.hpp"
#include "gemm/problem.hpp"
#include "integers.hpp"
#include "tileloom/error.hpp"

namespace tileloom::python {
namespace {

using namespace nb::literals;

// Memory of a matrix of f16, of the host or of a GPU.
class Storage {
 public:
  Storage(std::int64_t bytes, int ordinal) : ordinal_(ordinal) {
    if (ordinal < 0) {
      host_.reset(static_cast<std::byte*>(::operator new(static_cast<std::size_t>(bytes), host_alignment)));
      std::fill_n(host_.get(), bytes, std::byte{0});
    } else {
      const cuda::ContextScope scope(ordinal);
      device_ = std::make_unique<cuda::Buffer>(bytes);
    }
  }
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;
  ~Storage() {
    if (device_) {
      const cuda::ContextScope scope(ordinal_);
      device_.reset();
    }
  }
  [[nodiscard]] void* address() { return device_ ? device_->address() : host_.get(); }

 private:
  static constexpr std::align_val_t host_alignment{64};  // less, and JAX makes a copy
  struct Free {
    void operator()(std::byte* at) const { ::operator delete(at, host_alignment); }
  };

  int ordinal_;
  std::unique_ptr<std::byte, Free> host_;
  std::unique_ptr<cuda::Buffer> device_;
};

// What an exported tensor points at; the consumer frees it with the deleter.
struct Exported {
  std::shared_ptr<Storage> storage;
  std::array<std::int64_t, 2> shape;
  std::array<std::int64_t, 2> strides;
};

template <class Managed>
void release(Managed* managed) {
  delete static_cast<Exported*>(managed->context);
  delete managed;
}

// Frees what no consumer took.
template <class Managed>
void drop(PyObject* capsule, const char* name) {
  if (PyCapsule_IsValid(capsule, name) != 0) {
    release(static_cast<Managed*>(PyCapsule_GetPointer(capsule, name)));
  }
}

class DeviceArray {
 public:
  DeviceArray(std::int64_t rows, std::int64_t cols, int ordinal)
      : rows_(rows), cols_(cols), ordinal_(ordinal), storage_(std::make_shared<Storage>(bytes(rows, cols), ordinal)) {}

  [[nodiscard]] std::pair<std::int64_t, std::int64_t> shape() const { return {rows_, cols_}; }
  [[nodiscard]] std::pair<int, int> device() const {
    return ordinal_ < 0 ? std::pair(dlpack::cpu, 0) : std::pair(dlpack::cuda, ordinal_);
  }
  [[nodiscard]] std::uintptr_t address() const { return reinterpret_cast<std::uintptr_t>(storage_->address()); }
  [[nodiscard]] std::string text() const {
    return fmt::format("DeviceArray(({}, {}), float16, {})", rows_, cols_,
                       ordinal_ < 0 ? "host memory" : fmt::format("cuda:{}", ordinal_));
  }

  [[nodiscard]] nb::object capsule(bool versioned) const {
    return versioned ? make<dlpack::ManagedVersioned>(
                           dlpack::versioned_capsule,
                           [](PyObject* self) { drop<dlpack::ManagedVersioned>(self, dlpack::versioned_capsule); })
                     : make<dlpack::Managed>(dlpack::capsule,
                                             [](PyObject* self) { drop<dlpack::Managed>(self, dlpack::capsule); });
  }

 private:
  // Throws Error(bad_input) for a size below 0 or whose bytes do not fit in 63 bits.
  static std::int64_t bytes(std::int64_t rows, std::int64_t cols) {
    check(dense_problem(rows, cols, 1));
    return gemm::extent_bytes(rows, cols, cols);
  }

  template <class Managed>
  [[nodiscard]] nb::object make(const char* name, PyCapsule_Destructor destructor) const {
    auto exported = std::make_unique<Exported>(Exported{storage_, {rows_, cols_}, {cols_, 1}});
    auto managed = std::make_unique<Managed>();
    if constexpr (std::is_same_v<Managed, dlpack::ManagedVersioned>) {
      managed->version = {dlpack::known_major, 0};
      managed->flags = 0;
    }
    managed->tensor = {.data = storage_->address(),
                       .device = {device().first, device().second},
                       .rank = 2,
                       .type = dlpack::float16,
                       .shape = exported->shape.data(),
                       .strides = exported->strides.data(),
                       .byte_offset = 0};
    managed->deleter = release<Managed>;
    managed->context = exported.get();
    PyObject* const made = PyCapsule_New(managed.get(), name, destructor);
    if (made == nullptr) {
      nb::raise_python_error();
    }
    static_cast<void>(exported.release());
    static_cast<void>(managed.release());
    return nb::steal(made);
  }

  std::int64_t rows_;
  std::int64_t cols_;
  int ordinal_;
  std::shared_ptr<Storage> storage_;
};

// The protocol's keywords. The matrix is complete, so no stream has to wait.
nb::object export_array(const DeviceArray& array, nb::handle /*stream*/, std::optional<std::pair<int, int>> max_version,
                        std::optional<std::pair<int, int>> dl_device, std::optional<bool> copy) {
  const std::pair<int, int> here = array.device();
  if (dl_device && *dl_device != here) {
    throw nb::buffer_error(fmt::format("DeviceArray: expected device ({}, {}), found ({}, {}); copy it there first",
                                       here.first, here.second, dl_device->first, dl_device->second)
                               .c_str());
  }
  if (copy.value_or(false)) {
    throw nb::buffer_error("DeviceArray: expected copy=False or None; copy it in your own library");
  }
  return array.capsule(max_version && max_version->first >= static_cast<int>(dlpack::known_major));
}

nb::object to_numpy(const nb::object& array, nb::handle dtype, nb::handle copy) {
  const int ordinal = nb::cast<const DeviceArray&>(array).device().second;
  if (nb::cast<const DeviceArray&>(array).device().first != dlpack::cpu) {
    throw Error(ErrorKind::bad_input,
                fmt::format("DeviceArray: expected host memory for a NumPy array, found cuda:{}", ordinal),
                "cupy.from_dlpack and torch.from_dlpack take it as it is, and copy to the host");
  }
  const nb::module_ numpy = nb::module_::import_("numpy");
  const nb::object view = numpy.attr("from_dlpack")(array);
  return copy.is_none() ? numpy.attr("asarray")(view, nb::arg("dtype") = dtype)
                        : numpy.attr("array")(view, nb::arg("dtype") = dtype, nb::arg("copy") = copy);
}

}  // namespace

void bind_dlpack(nb::module_& m) {
  bind_imported_array(m);
  nb::class_<DeviceArray>(
      m, "DeviceArray",
      "A float16 matrix without gaps between its rows, in memory of a GPU or of the host.\n\n"
      "What :func:`tileloom.gemm` returns where no library of the caller can hold the result. Any\n"
      "library takes it without a copy: ``jax.dlpack.from_dlpack(d)``, ``numpy.from_dlpack(d)``.\n\n"
      ">>> import tileloom\n>>> tileloom.DeviceArray(2, 3)\n"
      "DeviceArray((2, 3), float16, host memory)")
      .def(
          "__init__",
          [](DeviceArray* self, nb::handle rows, nb::handle cols, nb::handle device) {
            new (self) DeviceArray(integer_argument("rows", rows), integer_argument("cols", cols),
                                   int_argument("device", device));
          },
          "rows"_a.none(), "cols"_a.none(), "device"_a.none() = -1,
          nb::sig("def __init__(self, rows: int, cols: int, device: int = -1) -> None"),
          "Memory for ``rows`` x ``cols`` elements, undefined on a GPU, zero on the host.\n\n"
          "``device`` is a GPU's number, or -1 for host memory.")
      .def_prop_ro("shape", &DeviceArray::shape, "Rows and columns.")
      .def_prop_ro("address", &DeviceArray::address, "Of the first element.")
      .def("__dlpack_device__", &DeviceArray::device, "DLPack's device type and number.")
      .def("__dlpack__", &export_array, nb::kw_only(), "stream"_a = nb::none(), "max_version"_a = nb::none(),
           "dl_device"_a = nb::none(), "copy"_a = nb::none(),
           "The DLPack capsule, versioned where ``max_version`` allows it.")
      .def("__array__", &to_numpy, "dtype"_a = nb::none(), "copy"_a = nb::none(),
           nb::sig("def __array__(self, dtype: typing.Any = None, copy: bool | None = None) -> typing.Any"),
           "Host memory as a NumPy array, without a copy if none is needed. Raises BadInput for a GPU's.")
      .def("__repr__", &DeviceArray::text);
}

}  // namespace tileloom::python
