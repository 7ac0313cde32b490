// SPDX-License-Identifier: Apache-2.0
// Arrays of other libraries in, and one of ours out.
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
#include <vector>

#include "bindings.hpp"
#include "dlpack.hpp"
#include "gemm/cuda_context.hpp"
#include "gemm/problem.hpp"
#include "tileloom/error.hpp"

namespace tileloom::python {
namespace {

using namespace nb::literals;

std::string type_name(const dlpack::DataType& type) {
  static constexpr std::array names{"int", "uint", "float", "opaque", "bfloat", "complex", "bool"};
  const std::string name = type.code < names.size() ? names[type.code] : fmt::format("type{}_", type.code);
  const std::string bits = name == "bool" ? "" : fmt::format("{}", type.bits);
  return name + bits + (type.lanes == 1 ? "" : fmt::format("x{}", type.lanes));
}

nb::tuple tuple_of(const std::vector<std::int64_t>& values) {
  nb::list list;
  for (const std::int64_t value : values) {
    list.append(value);
  }
  return nb::tuple(list);
}

// An array of another library, which stays alive as long as this does.
class ImportedArray {
 public:
  explicit ImportedArray(nb::handle capsule) {
    if (PyCapsule_IsValid(capsule.ptr(), dlpack::versioned_capsule) != 0) {
      auto* const managed =
          take<dlpack::ManagedVersioned>(capsule, dlpack::versioned_capsule, dlpack::used_versioned_capsule);
      if (managed->version.major != dlpack::known_major) {  // nothing but the version and the deleter has its place
        throw Error(ErrorKind::bad_input, fmt::format("dlpack: expected version {}, found {}.{}", dlpack::known_major,
                                                      managed->version.major, managed->version.minor));
      }
      read_only_ = (managed->flags & dlpack::flag_read_only) != 0;
      read(managed->tensor);
    } else if (PyCapsule_IsValid(capsule.ptr(), dlpack::capsule) != 0) {
      read(take<dlpack::Managed>(capsule, dlpack::capsule, dlpack::used_capsule)->tensor);
    } else {
      throw Error(ErrorKind::bad_input, "dlpack: expected a capsule that is not used yet");
    }
  }

  [[nodiscard]] std::uintptr_t address() const { return address_; }
  [[nodiscard]] std::pair<int, int> device() const { return {device_.type, device_.id}; }
  [[nodiscard]] const std::string& type() const { return type_; }
  [[nodiscard]] bool read_only() const { return read_only_; }
  [[nodiscard]] nb::tuple shape() const { return tuple_of(shape_); }
  [[nodiscard]] nb::tuple strides() const { return tuple_of(strides_); }

 private:
  template <class Managed>
  Managed* take(nb::handle capsule, const char* name, const char* used) {
    auto* const managed = static_cast<Managed*>(PyCapsule_GetPointer(capsule.ptr(), name));
    PyCapsule_SetName(capsule.ptr(), used);
    owner_ = std::shared_ptr<void>(managed, [managed](void*) {
      if (managed->deleter != nullptr) {
        managed->deleter(managed);
      }
    });
    return managed;
  }

  void read(const dlpack::Tensor& tensor) {
    address_ = reinterpret_cast<std::uintptr_t>(tensor.data) + tensor.byte_offset;
    device_ = tensor.device;
    type_ = type_name(tensor.type);
    const auto rank = static_cast<std::size_t>(tensor.rank);
    shape_.assign(tensor.shape, tensor.shape + rank);
    strides_.resize(rank, 1);
    for (std::size_t i = rank; i-- > 0;) {
      const std::int64_t compact = i + 1 < rank ? strides_[i + 1] * shape_[i + 1] : 1;
      strides_[i] = tensor.strides != nullptr ? tensor.strides[i] : compact;
    }
  }

  std::shared_ptr<void> owner_;
  std::uintptr_t address_ = 0;
  dlpack::Device device_{};
  std::string type_;
  std::vector<std::int64_t> shape_;
  std::vector<std::int64_t> strides_;
  bool read_only_ = false;
};

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

}  // namespace

void bind_dlpack(nb::module_& m) {
  nb::class_<ImportedArray>(m, "ImportedArray", "An array of another library, taken from its DLPack capsule.")
      .def(nb::init<nb::handle>(), "capsule"_a, "Takes the capsule of ``__dlpack__()``, which is used up.")
      .def_prop_ro("address", &ImportedArray::address, "Of the first element, ``byte_offset`` included.")
      .def_prop_ro("device", &ImportedArray::device, "DLPack's device type and number.")
      .def_prop_ro("dtype", &ImportedArray::type, "``float16``, ``bfloat16``, ``int32``, and so on.")
      .def_prop_ro("shape", &ImportedArray::shape, nb::sig("def shape(self) -> tuple[int, ...]"), "In elements.")
      .def_prop_ro("strides", &ImportedArray::strides, nb::sig("def strides(self) -> tuple[int, ...]"), "In elements.")
      .def_prop_ro("read_only", &ImportedArray::read_only, "Whether its library forbids to write.");

  nb::class_<DeviceArray>(
      m, "DeviceArray",
      "A float16 matrix without gaps between its rows, in memory of a GPU or of the host.\n\n"
      "What :func:`tileloom.gemm` returns where no library of the caller can hold the result. Any\n"
      "library takes it without a copy: ``jax.dlpack.from_dlpack(d)``, ``numpy.from_dlpack(d)``.\n\n"
      ">>> import tileloom\n>>> tileloom.DeviceArray(2, 3)\n"
      "DeviceArray((2, 3), float16, host memory)")
      .def(nb::init<std::int64_t, std::int64_t, int>(), "rows"_a, "cols"_a, "device"_a = -1,
           "Memory for ``rows`` x ``cols`` elements, undefined on a GPU, zero on the host.\n\n"
           "``device`` is a GPU's number, or -1 for host memory.")
      .def_prop_ro("shape", &DeviceArray::shape, "Rows and columns.")
      .def_prop_ro("address", &DeviceArray::address, "Of the first element.")
      .def("__dlpack_device__", &DeviceArray::device, "DLPack's device type and number.")
      .def("__dlpack__", &export_array, nb::kw_only(), "stream"_a = nb::none(), "max_version"_a = nb::none(),
           "dl_device"_a = nb::none(), "copy"_a = nb::none(),
           "The DLPack capsule, versioned where ``max_version`` allows it.")
      .def("__repr__", &DeviceArray::text);
}

}  // namespace tileloom::python
