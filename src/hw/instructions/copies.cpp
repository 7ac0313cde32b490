// SPDX-License-Identifier: Apache-2.0
// Copies: plain, asynchronous, and the warp-wide ones of 8x8 matrices.
#include <array>

#include "hw/instructions/records.hpp"

namespace tileloom::hw {
namespace {

// ldmatrix, and stmatrix the other way. Each row of 128 bits is addressed by one lane; x1 and x2 read the addresses of
// the first 8 and 16 lanes only.
struct MatrixMove {
  std::string_view count;      // of CuTe's name
  std::string_view modifiers;  // of PTX
  std::string_view rows;       // (thread, bit) in shared memory
  std::string_view registers;  // (thread, bit) in registers
};

constexpr std::array<MatrixMove, 6> moves{
    {{"U32x1", "x1", "((_8,_4),_128):((_128,_0),_1)", "(_32,_32):(_32,_1)"},
     {"U32x2", "x2", "((_16,_2),_128):((_128,_0),_1)", "(_32,(_32,_2)):(_32,(_1,_1024))"},
     {"U32x4", "x4", "(_32,_128):(_128,_1)", "(_32,(_32,_4)):(_32,(_1,_1024))"},
     {"U16x2", "x1.trans", "((_8,_4),_128):((_128,_0),_1)", "((_4,_8),(_16,_2)):((_256,_16),(_1,_128))"},
     {"U16x4", "x2.trans", "((_16,_2),_128):((_128,_0),_1)", "((_4,_8),(_16,_2,_2)):((_256,_16),(_1,_128,_1024))"},
     {"U16x8", "x4.trans", "(_32,_128):(_128,_1)", "((_4,_8),(_16,_2,_4)):((_256,_16),(_1,_128,_1024))"}}};

void add_matrix_moves(std::vector<CopyRecord>& all, bool load) {
  for (const MatrixMove& m : moves) {
    const std::string shared(m.rows);
    const std::string registers(m.registers);
    const std::string suffix = m.modifiers.ends_with("trans") ? "_T" : "_N";
    all.push_back(
        {(load ? "SM75_" : "SM90_") + std::string(m.count) + (load ? "_LDSM" : "_STSM") + suffix,
         (load ? "ldmatrix" : "stmatrix") + (".sync.aligned.m8n8." + std::string(m.modifiers)) + ".shared.b16",
         load ? 75 : 90, load ? CopyKind::ldmatrix : CopyKind::stmatrix, "_32", load ? shared : registers,
         load ? registers : shared,
         load ? "Warp-level matrix load instruction: ldmatrix" : "Warp-level matrix store instruction: stmatrix"});
  }
}

std::string one_thread(int bits) {
  return "(_1,_" + std::to_string(bits) + ")";
}

void add_plain(std::vector<CopyRecord>& all) {
  for (const int bits : {8, 16, 32, 64, 128}) {
    all.push_back({"UniversalCopy<uint" + std::to_string(bits) + "_t>", "", 70, CopyKind::universal, "_1",
                   one_thread(bits), one_thread(bits), "Data Movement and Conversion Instructions: ld, st, mov"});
  }
  for (const int bits : {8, 16, 32, 64, 128}) {
    all.push_back({"AutoVectorizingCopyWithAssumedAlignment<" + std::to_string(bits) + ">", "", 70, CopyKind::automatic,
                   "_1", "(_1,_1)", "(_1,_1)", "Data Movement and Conversion Instructions: ld, st, mov"});
  }
}

// cp.async.cg copies 16 bytes only.
void add_asynchronous(std::vector<CopyRecord>& all) {
  for (const char* zero_fill : {"", "_ZFILL"}) {
    for (const int bits : {32, 64, 128}) {
      const std::string type = "<uint" + std::to_string(bits) + "_t>";
      const std::string_view section = "Data Movement and Conversion Instructions: cp.async";
      all.push_back({"SM80_CP_ASYNC_CACHEALWAYS" + std::string(zero_fill) + type, "cp.async.ca.shared.global.L2::128B",
                     80, CopyKind::cp_async, "_1", one_thread(bits), one_thread(bits), section});
      if (bits == 128) {
        all.push_back({"SM80_CP_ASYNC_CACHEGLOBAL" + std::string(zero_fill) + type,
                       "cp.async.cg.shared.global.L2::128B", 80, CopyKind::cp_async, "_1", one_thread(bits),
                       one_thread(bits), section});
      }
    }
  }
}

}  // namespace

const std::vector<CopyRecord>& copy_records() {
  static const std::vector<CopyRecord> records = [] {
    std::vector<CopyRecord> all;
    add_plain(all);
    add_matrix_moves(all, true);
    add_asynchronous(all);
    add_matrix_moves(all, false);
    return all;
  }();
  return records;
}

}  // namespace tileloom::hw
