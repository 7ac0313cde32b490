// SPDX-License-Identifier: Apache-2.0
// Theory = run: the path of every element that `trace` computes from a kernel's configuration is the path that the
// element takes when the kernel runs in the emulator.
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "cli/config_file.hpp"
#include "gemm/generate.hpp"
#include "kernels/instances.hpp"
#include "tileloom/gemm.hpp"
#include "tileloom/trace/route.hpp"

namespace tileloom {
namespace {

using trace::Operand;

constexpr std::int64_t tiles_k = 2;

// A register's bits in a warp's lane: `warp 1 lane 3 a2[31:16]`.
using Held = std::tuple<int, int, std::string, int, int>;

// All that both know of one element's way.
struct Path {
  std::set<std::tuple<int, std::int64_t>> copies;           // thread, shared byte
  std::set<std::tuple<int, int, int, std::int64_t>> loads;  // warp, source lane, lane, shared byte
  std::set<Held> operands;
  std::set<Held> loaded;  // straight from global memory, without a register of the MMA: (warp, lane)

  bool operator==(const Path&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Path& p) {
  for (const auto& [thread, byte] : p.copies) out << "copy by thread " << thread << " to byte " << byte << '\n';
  for (const auto& [warp, source, lane, byte] : p.loads) {
    out << "warp " << warp << " lane " << source << " gives byte " << byte << " to lane " << lane << '\n';
  }
  for (const auto& [warp, lane, name, low, high] : p.operands) {
    out << "warp " << warp << " lane " << lane << ' ' << name << '[' << high << ':' << low << "]\n";
  }
  return out;
}

struct Observed {
  GemmProblem problem;
  trace::Kernel kernel;
  emu::Provenance seen;
};

Observed run(const kernels::KernelInstance& k, const emu::FollowOptions& follow) {
  const GemmProblem p = dense_problem(k.tile_m, k.tile_n, tiles_k * k.tile_k, k.accumulate);
  const std::vector<std::uint16_t> a = generate(Distribution::normal, 1, 0, p.m * p.k);
  const std::vector<std::uint16_t> b = generate(Distribution::normal, 1, 1, p.n * p.k);
  std::vector<std::uint16_t> d(static_cast<std::size_t>(p.m * p.n));
  GemmOptions options;
  options.backend = Backend::emulator;
  options.kernel = k.name;
  LaunchControl control;
  control.follow = follow;
  GemmReport report = launch_host(p, configure(p, options), {a.data(), b.data(), d.data()}, control);
  return {p,
          build_kernel(cli::read_kernel_config(std::string(k.name), {}),
                       {{"M", p.m}, {"N", p.n}, {"K", p.k}, {"lda", p.lda}, {"ldb", p.ldb}, {"ldd", p.ldd}}),
          std::move(*report.provenance)};
}

int number(std::uint64_t n) {
  return static_cast<int>(n);
}

// By buffer and byte.
std::map<emu::BufferElement, Path> observed(const emu::Provenance& seen) {
  std::map<emu::BufferElement, Path> paths;
  for (const emu::FollowedMove& m : seen.moves) {
    Path& path = paths[seen.element(m.name)];
    const int warp = number(m.warp);
    switch (m.kind) {
      case emu::MoveKind::copy:
        EXPECT_EQ(*m.from, seen.element(m.name));
        path.copies.insert({32 * warp + number(m.lane), number(m.to->byte)});
        break;
      case emu::MoveKind::load_matrix:
        path.loads.insert({warp, number(m.source_lane), number(m.lane), number(m.from->byte)});
        break;
      case emu::MoveKind::operand:
        path.operands.insert({warp, number(m.lane), m.reg, m.low, m.high});
        break;
      case emu::MoveKind::load:
        EXPECT_EQ(*m.from, seen.element(m.name));
        path.loaded.insert({warp, number(m.lane), "", 0, 0});
        break;
      default:
        break;
    }
  }
  return paths;
}

Path predicted(const trace::Route& route) {
  Path path;
  for (const trace::CopyPlace& c : route.copies) path.copies.insert({c.thread, route.shared->byte});
  for (const trace::Holder& h : route.holders) {
    const trace::RegisterPlace& p = h.place;
    path.operands.insert({p.warp, p.lane, p.bits.name, p.bits.low, p.bits.high});
    if (h.load) path.loads.insert({p.warp, h.load->source_lane, p.lane, route.shared->byte});
    if (!h.load) path.loaded.insert({p.warp, p.lane, "", 0, 0});
  }
  return path;
}

// A result's way out: thread and byte of each instruction.
struct Output {
  using Accesses = std::set<std::tuple<int, std::int64_t>>;
  Accesses written, read;  // in the slab of the epilogue
  Accesses stored;         // in D

  bool operator==(const Output&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Output& o) {
  const auto print = [&](const char* what, const Output::Accesses& accesses) {
    for (const auto& [thread, byte] : accesses) out << "thread " << thread << what << byte << '\n';
  };
  print(" writes byte ", o.written);
  print(" reads byte ", o.read);
  print(" stores byte of D ", o.stored);
  return out;
}

// By the sum's name.
std::map<emu::Name, Output> outputs(const emu::Provenance& seen) {
  std::map<emu::Name, Output> outputs;
  for (const emu::FollowedMove& m : seen.moves) {
    const int thread = number(32 * m.warp + m.lane);
    if (m.kind == emu::MoveKind::store) {
      Output& o = outputs[m.name];
      (m.to->buffer.empty() ? o.written : o.stored).insert({thread, number(m.to->byte)});
    } else if (m.kind == emu::MoveKind::load) {
      EXPECT_EQ(m.from->buffer, "");
      outputs[m.name].read.insert({thread, number(m.from->byte)});
    }
  }
  return outputs;
}

Output predicted_output(const trace::Route& route) {
  Output o;
  if (!route.shared && route.copies.empty()) {
    o.stored.insert({route.holders.at(0).place.thread, route.global->byte});
    return o;
  }
  for (const trace::CopyPlace& c : route.stores) o.written.insert({c.thread, route.shared->byte});
  for (const trace::CopyPlace& c : route.copies) {
    if (route.shared) o.read.insert({c.thread, route.shared->byte});
    o.stored.insert({c.thread, *c.global_byte + std::int64_t{2} * c.position});
  }
  return o;
}

class TheoryIsRunRoute : public testing::TestWithParam<std::size_t> {
 protected:
  const kernels::KernelInstance& instance_ = kernels::instances()[GetParam()];
};

// All of the first tile of K; of the second, whose stage is another, every sixteenth row.
TEST_P(TheoryIsRunRoute, EveryElementOfAAndBTakesThePathThatTraceComputes) {
  const Observed r = run(instance_, {.buffers = {"A", "B"}});
  const auto seen = observed(r.seen);
  const trace::RouteTracer tracer(r.kernel);
  std::size_t compared = 0;
  for (const Operand operand : {Operand::a, Operand::b}) {
    const trace::OperandPath& path = r.kernel.path(operand);
    const std::string buffer(1, trace::letter(operand));
    for (std::int64_t k_tile = 0; k_tile < tiles_k; ++k_tile) {
      for (int row = 0; row < path.rows; row += k_tile == 0 ? 1 : 16) {
        for (int column = 0; column < path.columns; ++column) {
          const trace::Route route = tracer.follow(operand, {row, column}, k_tile);
          const auto found = seen.find({buffer, static_cast<std::uint64_t>(route.global->byte)});
          ASSERT_NE(found, seen.end()) << buffer << ' ' << row << ' ' << column;
          ASSERT_EQ(found->second, predicted(route)) << buffer << ' ' << row << ' ' << column << " of " << k_tile;
          ++compared;
        }
      }
    }
  }
  EXPECT_GT(compared, seen.size() / 2);
  EXPECT_EQ(seen.size(), static_cast<std::size_t>(r.problem.k * (r.problem.m + r.problem.n)));
}

// Through which registers, slab addresses and threads it goes there, too.
TEST_P(TheoryIsRunRoute, EveryElementOfDIsSummedWhereTraceSaysAndStoredThere) {
  const Observed r = run(instance_, {.sums = true});
  const trace::RouteTracer tracer(r.kernel);
  const trace::OperandPath& path = r.kernel.path(Operand::c);
  std::map<std::uint64_t, emu::FollowedResult> stored;
  for (const emu::FollowedResult& result : r.seen.results) {
    ASSERT_EQ(result.at.buffer, "D");
    stored[result.at.byte] = result;
  }
  ASSERT_EQ(stored.size(), static_cast<std::size_t>(path.elements()));
  const std::map<emu::Name, Output> ways = outputs(r.seen);
  EXPECT_EQ(path.drain.has_value(), instance_.pipelined());  // others store what a thread holds
  for (int row = 0; row < path.rows; ++row) {
    for (int column = 0; column < path.columns; ++column) {
      const trace::Route route = tracer.follow(Operand::c, {row, column});
      const auto found = stored.find(static_cast<std::uint64_t>(route.global->byte));
      ASSERT_NE(found, stored.end()) << row << ' ' << column;
      const emu::SumPlace sum = emu::Provenance::sum(found->second.name, found->second.cta);
      ASSERT_EQ(route.holders.size(), 1U);
      const trace::RegisterPlace& p = route.holders[0].place;
      ASSERT_EQ(std::tuple(number(sum.warp), number(sum.lane), sum.value), std::tuple(p.warp, p.lane, p.mma[0]))
          << row << ' ' << column;
      ASSERT_EQ(ways.at(found->second.name), predicted_output(route)) << row << ' ' << column;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, TheoryIsRunRoute, testing::Range(std::size_t{0}, kernels::instances().size()),
                         [](const auto& i) { return std::string(kernels::instances()[i.param].name); });

}  // namespace
}  // namespace tileloom
