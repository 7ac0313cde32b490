// SPDX-License-Identifier: Apache-2.0
// NVIDIA's assembler accepts every mnemonic of the table with as many registers as the table says, and no more or
// fewer.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tileloom/hw/instructions.hpp"

namespace tileloom::hw {
namespace {

// A kernel body's registers and instruction. `extra` more registers of D and C than the table has.
std::string list(const MmaOperand& o, const char* letter, int extra = 0) {
  const int count = o.registers * 32 / o.register_bits + extra;
  std::string text = "{";
  for (int i = 0; i < count; ++i) {
    text += (i > 0 ? ", %" : "%") + std::string(letter) + (o.register_bits == 64 ? "d" : "r") + std::to_string(i);
  }
  return text + "}";
}

bool is_integer(const MmaAtom& x) {
  return x.d.type == ElementType::s32;
}

// PTX ISA: scale-d; for floating point the signs of A and B; for 16 bits the majors of what is in shared memory.
std::string wgmma_tail(const MmaAtom& x) {
  if (is_integer(x)) return ", %p";
  const bool majors = bits(x.a.type) == 16;
  const bool a_shared = x.a.holder == Holder::shared_descriptor;
  return std::string(", %p, 1, 1") + (majors ? (a_shared ? ", 0, 0" : ", 0") : "");
}

std::string instruction(const MmaAtom& x, int extra = 0) {
  if (x.threads != 128) {
    return x.ptx + " " + list(x.d, "d", extra) + ", " + list(x.a, "a") + ", " + list(x.b, "b") + ", " +
           list(x.c, "d", extra) + ";\n";
  }
  const std::string a = x.a.holder == Holder::registers ? list(x.a, "a") : "%desc";
  return x.ptx + " " + list(x.d, "d", extra) + ", " + a + ", %desc" + wgmma_tail(x) + ";\n";
}

std::string kernel(const std::string& name, const std::string& body) {
  return ".visible .entry " + name +
         "()\n{\n .reg .b32 %dr<130>, %ar<8>, %br<8>, %r<8>, %s; .reg .b64 %dd<8>, %ad<8>, %bd<8>, %desc, %g;\n"
         " .reg .pred %p;\n " +
         body + " ret;\n}\n";
}

std::string copy_instruction(const CopyAtom& x) {
  if (x.kind == CopyKind::cp_async) {
    const std::string bytes = x.name.substr(x.name.find("uint") + 4, x.name.find("_t>") - x.name.find("uint") - 4);
    const std::string size = std::to_string(std::stoi(bytes) / 8);
    return x.ptx + " [%s], [%g], " + size + (x.name.find("ZFILL") != std::string::npos ? ", %r0;\n" : ";\n");
  }
  const int count = x.ptx.find(".x4") != std::string::npos ? 4 : x.ptx.find(".x2") != std::string::npos ? 2 : 1;
  std::string registers = "{%r0";
  for (int i = 1; i < count; ++i) registers += ", %r" + std::to_string(i);
  registers += "}";
  return x.kind == CopyKind::ldmatrix ? x.ptx + " " + registers + ", [%s];\n" : x.ptx + " [%s], " + registers + ";\n";
}

// What the assembler complains of; empty if it accepts.
std::string complaint(const std::string& kernels) {
  const auto file = std::filesystem::temp_directory_path() / ("tileloom_ptxas_" + std::to_string(::getpid()) + ".ptx");
  const std::string log = file.string() + ".log";
  std::ofstream(file) << ".version 8.7\n.target sm_90a\n.address_size 64\n" << kernels;
  const std::string command =
      "'" TILELOOM_PTXAS "' -arch=sm_90a -O0 '" + file.string() + "' -o /dev/null > '" + log + "' 2>&1";
  const int code = std::system(command.c_str());
  std::ifstream in(log);
  const std::string text(std::istreambuf_iterator<char>(in), {});
  std::filesystem::remove(file);
  std::filesystem::remove(log);
  return code == 0 ? "" : "failed: " + text;
}

TEST(Ptxas, AcceptsEveryInstructionWithTheTablesRegisters) {
  std::string text;
  int count = 0;
  for (const MmaAtom& x : mma_atoms()) {
    if (!x.ptx.empty()) text += kernel("k" + std::to_string(count++), instruction(x));
  }
  for (const CopyAtom& x : copy_atoms()) {
    if (!x.ptx.empty()) text += kernel("k" + std::to_string(count++), copy_instruction(x));
  }
  EXPECT_GT(count, 1100);
  EXPECT_EQ(complaint(text), "");
}

TEST(Ptxas, RefusesAnotherNumberOfRegisters) {
  const MmaAtom& x = mma_atom("m16n8k16 f16");
  EXPECT_EQ(complaint(kernel("k", instruction(x))), "");
  EXPECT_NE(complaint(kernel("k", instruction(x, 1))).find("vector size mismatch"), std::string::npos);
}

}  // namespace
}  // namespace tileloom::hw
