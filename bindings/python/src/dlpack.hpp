// SPDX-License-Identifier: Apache-2.0
// The binary interface of DLPack 1.x, restated: arrays that libraries hand each other inside Python capsules.
// https://dmlc.github.io/dlpack/latest/c_api.html and .../python_spec.html
#pragma once

#include <cstdint>

namespace tileloom::dlpack {

struct Version {
  std::uint32_t major;
  std::uint32_t minor;
};

inline constexpr std::uint32_t known_major = 1;

struct Device {
  std::int32_t type;
  std::int32_t id;
};

inline constexpr std::int32_t cpu = 1;
inline constexpr std::int32_t cuda = 2;
inline constexpr std::int32_t cuda_host = 3;
inline constexpr std::int32_t cuda_managed = 13;

struct DataType {
  std::uint8_t code;  // 0 int, 1 unsigned, 2 float, 4 bfloat, 5 complex, 6 bool
  std::uint8_t bits;
  std::uint16_t lanes;
};

inline constexpr DataType float16{2, 16, 1};

inline constexpr std::int32_t max_rank = 64;  // ours: nobody has more

struct Tensor {
  void* data;
  Device device;
  std::int32_t rank;
  DataType type;
  std::int64_t* shape;
  std::int64_t* strides;  // in elements; null: compact, the last index fastest
  std::uint64_t byte_offset;
};

struct Managed {
  Tensor tensor;
  void* context;
  void (*deleter)(Managed*);
};

inline constexpr std::uint64_t flag_read_only = 1;

struct ManagedVersioned {
  Version version;
  void* context;
  void (*deleter)(ManagedVersioned*);
  std::uint64_t flags;
  Tensor tensor;
};

inline constexpr const char* capsule = "dltensor";
inline constexpr const char* used_capsule = "used_dltensor";
inline constexpr const char* versioned_capsule = "dltensor_versioned";
inline constexpr const char* used_versioned_capsule = "used_dltensor_versioned";

}  // namespace tileloom::dlpack
