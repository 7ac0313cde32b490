// SPDX-License-Identifier: Apache-2.0
// Arrays of other libraries.
#include <fmt/format.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bindings.hpp"
#include "dlpack.hpp"
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
  ImportedArray(nb::handle capsule, std::string name) : name_(std::move(name)) {
    if (PyCapsule_IsValid(capsule.ptr(), dlpack::versioned_capsule) != 0) {
      auto* const managed =
          take<dlpack::ManagedVersioned>(capsule, dlpack::versioned_capsule, dlpack::used_versioned_capsule);
      if (managed->version.major != dlpack::known_major) {  // nothing but the version and the deleter has its place
        refuse(fmt::format("expected version {}, found {}.{}", dlpack::known_major, managed->version.major,
                           managed->version.minor));
      }
      read_only_ = (managed->flags & dlpack::flag_read_only) != 0;
      read(managed->tensor);
    } else if (PyCapsule_IsValid(capsule.ptr(), dlpack::capsule) != 0) {
      read(take<dlpack::Managed>(capsule, dlpack::capsule, dlpack::used_capsule)->tensor);
    } else {
      refuse("expected a capsule that is not used yet");
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

  [[noreturn]] void refuse(const std::string& message) const {
    throw Error(ErrorKind::bad_input, name_ + ": " + message);
  }

  void check_shape(const dlpack::Tensor& tensor) const {
    if (tensor.rank < 0 || tensor.rank > dlpack::max_rank) {
      refuse(fmt::format("expected a DLPack tensor of 0 to {} dimensions, found {}", dlpack::max_rank, tensor.rank));
    }
    if (tensor.rank > 0 && tensor.shape == nullptr) {
      refuse("expected a DLPack tensor with a shape, found a null pointer");
    }
    for (std::int32_t i = 0; i < tensor.rank; ++i) {
      if (tensor.shape[i] < 0) {
        refuse(fmt::format("expected sizes of at least 0, found {}", tensor.shape[i]));
      }
    }
  }

  void read(const dlpack::Tensor& tensor) {
    check_shape(tensor);
    address_ = reinterpret_cast<std::uintptr_t>(tensor.data) + tensor.byte_offset;
    device_ = tensor.device;
    type_ = type_name(tensor.type);
    const auto rank = static_cast<std::size_t>(tensor.rank);
    shape_.assign(tensor.shape, tensor.shape + rank);
    strides_.resize(rank, 1);
    for (std::size_t i = rank; i-- > 0;) {
      // Of a shape that no memory holds the product may wrap round.
      const auto compact = static_cast<std::int64_t>(
          i + 1 < rank ? static_cast<std::uint64_t>(strides_[i + 1]) * static_cast<std::uint64_t>(shape_[i + 1]) : 1U);
      strides_[i] = tensor.strides != nullptr ? tensor.strides[i] : compact;
    }
  }

  std::string name_;
  std::shared_ptr<void> owner_;
  std::uintptr_t address_ = 0;
  dlpack::Device device_{};
  std::string type_;
  std::vector<std::int64_t> shape_;
  std::vector<std::int64_t> strides_;
  bool read_only_ = false;
};

}  // namespace

void bind_imported_array(nb::module_& m) {
  nb::class_<ImportedArray>(m, "ImportedArray", "An array of another library, taken from its DLPack capsule.")
      .def(nb::init<nb::handle, std::string>(), "capsule"_a.none(), "name"_a = "dlpack",
           "Takes the capsule of ``__dlpack__()``, which is used up. ``name``: what messages call it.")
      .def_prop_ro("address", &ImportedArray::address, "Of the first element, ``byte_offset`` included.")
      .def_prop_ro("device", &ImportedArray::device, "DLPack's device type and number.")
      .def_prop_ro("dtype", &ImportedArray::type, "``float16``, ``bfloat16``, ``int32``, and so on.")
      .def_prop_ro("shape", &ImportedArray::shape, nb::sig("def shape(self) -> tuple[int, ...]"), "In elements.")
      .def_prop_ro("strides", &ImportedArray::strides, nb::sig("def strides(self) -> tuple[int, ...]"), "In elements.")
      .def_prop_ro("read_only", &ImportedArray::read_only, "Whether its library forbids to write.");
}

}  // namespace tileloom::python
