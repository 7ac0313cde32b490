// SPDX-License-Identifier: Apache-2.0
// mma.sync, ldmatrix and stmatrix. PTX ISA, "Warp Level Matrix Multiply-Accumulate Instructions".
#include <array>
#include <cstring>

#include "emu/isa/access.hpp"
#include "emu/isa/families.hpp"
#include "emu/isa/matrix_maps.hpp"
#include "emu/isa/memory_modifiers.hpp"
#include "emu/isa/vector.hpp"
#include "tileloom/emu/tensor_core.hpp"

namespace tileloom::emu {
namespace {

using ptx::Type;
using U16 = std::uint16_t;
using U32 = std::uint32_t;

constexpr int m_size = MmaIndex::m;
constexpr int n_size = MmaIndex::n;
constexpr int k_size = MmaIndex::k;

struct Operands {
  alignas(64) std::array<U32, m_size * k_size / 2> a;
  alignas(64) std::array<U32, n_size * k_size / 2> b;
  alignas(64) std::array<U32, m_size * n_size> c;
};

// list: d registers; a, b and c registers.
template <MmaInput Input, MmaAccumulator Accumulator>
void mma(Warp& w, const Op& op) {
  constexpr unsigned c_registers = Accumulator == MmaAccumulator::f32 ? 4 : 2;
  const MmaIndex& index = mma_index();
  const Slot* d = w.list(op);
  const Slot* from = d + c_registers;
  Operands o;
  for (unsigned r = 0; r < 4; ++r) {
    const U32* reg = w.reg<U32>(from[r]);
    for (unsigned lane = 0; lane < lanes; ++lane) o.a[index.a[r][lane]] = reg[lane];
  }
  for (unsigned r = 0; r < 2; ++r) {
    const U32* reg = w.reg<U32>(from[4 + r]);
    for (unsigned lane = 0; lane < lanes; ++lane) o.b[index.b[r][lane]] = reg[lane];
  }
  for (unsigned r = 0; r < c_registers; ++r) {
    const U32* reg = w.reg<U32>(from[6 + r]);
    for (unsigned lane = 0; lane < lanes; ++lane) {
      if constexpr (Accumulator == MmaAccumulator::f32) {
        o.c[index.c[r][lane]] = reg[lane];
      } else {
        o.c[index.c[2 * r][lane]] = reg[lane] & 0xFFFF;
        o.c[index.c[2 * r + 1][lane]] = reg[lane] >> 16;
      }
    }
  }
  std::array<U16, m_size * k_size> a;
  std::array<U16, n_size * k_size> b;
  std::memcpy(a.data(), o.a.data(), sizeof a);
  std::memcpy(b.data(), o.b.data(), sizeof b);
  mma_k16(w.cta->launch->mma, Input, Accumulator, m_size, n_size, a.data(), b.data(), o.c.data(), o.c.data());
  for (unsigned r = 0; r < c_registers; ++r) {
    U32* reg = w.reg<U32>(d[r]);
    for (unsigned lane = 0; lane < lanes; ++lane) {
      if constexpr (Accumulator == MmaAccumulator::f32) {
        reg[lane] = o.c[index.c[r][lane]];
      } else {
        reg[lane] = o.c[index.c[2 * r][lane]] | o.c[index.c[2 * r + 1][lane]] << 16;
      }
    }
  }
}

const std::vector<ptx::Operand>& vector_of(Instr& in, std::size_t i, std::size_t count) {
  const ptx::Operand& operand = in.operand(i);
  if (operand.kind != ptx::Operand::Kind::vector || operand.elements.size() != count) {
    in.fail("'" + in.source().opcode() + "': operand " + std::to_string(i + 1) + " must be a vector of " +
            std::to_string(count) + " registers");
  }
  return operand.elements;
}

void read_all(Instr& in, std::size_t i, std::size_t count, Type type, std::vector<Slot>& to) {
  for (const ptx::Operand& e : vector_of(in, i, count)) to.push_back(in.read(e, type));
}

void whole_warp(Instr& in) {
  in.op.kind = Op::Kind::collective;
  in.op.whole_warp = true;
}

Handler pick_mma(Instr& in, Type d, Type a, Type b, Type c) {
  if (a != b || d != c) in.fail_unsupported();
  if (a == Type::f16 && d == Type::f32) return &mma<MmaInput::f16, MmaAccumulator::f32>;
  if (a == Type::f16 && d == Type::f16) return &mma<MmaInput::f16, MmaAccumulator::f16>;
  if (a == Type::bf16 && d == Type::f32) return &mma<MmaInput::bf16, MmaAccumulator::f32>;
  in.fail_unsupported();
}

void decode_mma(Instr& in) {
  if (!in.flag("sync") || !in.flag("aligned") || !in.flag("m16n8k16") || !in.flag("row") || !in.flag("col")) {
    in.fail_unsupported();
  }
  const Type d = in.type();
  const Type a = in.type();
  const Type b = in.type();
  const Type c = in.type();
  const Handler handler = pick_mma(in, d, a, b, c);
  in.expect_operands(4);
  const std::size_t c_registers = d == Type::f32 ? 4 : 2;
  std::vector<Slot> written;
  for (const ptx::Operand& e : vector_of(in, 0, c_registers)) written.push_back(in.write(e, Type::b32));
  std::vector<Slot> read;
  read_all(in, 1, 4, Type::b32, read);
  read_all(in, 2, 2, Type::b32, read);
  read_all(in, 3, c_registers, Type::b32, read);
  in.list(written, read);
  whole_warp(in);
  in.emit(handler);
}

// -- ldmatrix, stmatrix
constexpr std::uint32_t row_bytes = 16;

HostPointers row_pointers(Warp& w, const Op& op, AccessKind kind, const MatrixMove& move) {
  alignas(64) std::array<std::uint64_t, lanes> at;
  lane_addresses(w, op.a, op.narrow_address, op.imm, at.data());
  HostPointers host;
  locate(w, {op.space, kind, row_bytes, move.givers, at.data()}, host);
  return host;
}

void load_matrix(Warp& w, const Op& op) {
  const unsigned matrices = op.list_writes;
  const MatrixMove& move = matrix_move(MatrixDirection::load, matrices, op.mode != 0);
  const HostPointers host = row_pointers(w, op, AccessKind::read, move);
  for (unsigned i = 0; i < matrices; ++i) {
    U32* d = w.reg<U32>(w.list(op)[i]);
    for (unsigned lane = 0; lane < lanes; ++lane) {
      const auto& [low, high] = move.places[i][lane];
      U16 half[2];
      std::memcpy(&half[0], host.at[low.giver] + low.byte, 2);
      std::memcpy(&half[1], host.at[high.giver] + high.byte, 2);
      d[lane] = U32{half[1]} << 16 | half[0];
    }
  }
}

void store_matrix(Warp& w, const Op& op) {
  const unsigned matrices = op.list_reads;
  const MatrixMove& move = matrix_move(MatrixDirection::store, matrices, op.mode != 0);
  const HostPointers host = row_pointers(w, op, AccessKind::write, move);
  for (unsigned i = 0; i < matrices; ++i) {
    const U32* from = w.reg<U32>(w.list(op)[i]);
    for (unsigned lane = 0; lane < lanes; ++lane) {
      const auto& [low, high] = move.places[i][lane];
      const U16 half[2] = {static_cast<U16>(from[lane]), static_cast<U16>(from[lane] >> 16)};
      std::memcpy(host.at[low.giver] + low.byte, &half[0], 2);
      std::memcpy(host.at[high.giver] + high.byte, &half[1], 2);
    }
  }
}

std::size_t take_matrix_access(Instr& in) {
  if (!in.flag("sync") || !in.flag("aligned") || !in.flag("m8n8")) in.fail_unsupported();
  const std::string_view count = in.one_of({"x1", "x2", "x4"});
  if (count.empty()) in.fail_unsupported();
  in.op.mode = in.flag("trans") ? 1 : 0;
  in.op.space = take_space(in);
  if (in.op.space != ptx::Space::shared && in.op.space != ptx::Space::generic) in.fail_unsupported();
  in.expect_type({Type::b16});
  in.op.bytes = row_bytes;
  in.expect_operands(2);
  whole_warp(in);
  return static_cast<std::size_t>(count[1] - '0');
}

void decode_ldmatrix(Instr& in) {
  const std::size_t count = take_matrix_access(in);
  std::vector<Slot> to;
  for (const ptx::Operand& e : vector_of(in, 0, count)) to.push_back(in.write(e, Type::b32));
  in.address(1);
  in.list(to, {});
  in.emit(&load_matrix);
}

void decode_stmatrix(Instr& in) {
  const std::size_t count = take_matrix_access(in);
  in.address(0);
  std::vector<Slot> from;
  read_all(in, 1, count, Type::b32, from);
  in.list({}, from);
  in.emit(&store_matrix);
}

constexpr std::array entries{
    DecodeEntry{"mma", Family::any, decode_mma},
    DecodeEntry{"ldmatrix", Family::any, decode_ldmatrix},
    DecodeEntry{"stmatrix", Family::any, decode_stmatrix},
};

}  // namespace

std::span<const DecodeEntry> matrix_instructions() {
  return entries;
}

}  // namespace tileloom::emu
