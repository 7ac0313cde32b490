// SPDX-License-Identifier: Apache-2.0
// Layout algebra: the operations as CuTe has them, and what checking their laws adds.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <new>

#include "tileloom/layout/expression.hpp"

namespace {

// Allocations of the whole program, to show that small layouts make none.
std::size_t allocations = 0;

}  // namespace

[[gnu::noinline]] void* operator new(std::size_t size) {
  ++allocations;
  if (void* p = std::malloc(size)) {
    return p;
  }
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* p) noexcept {
  std::free(p);
}
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept {
  std::free(p);
}

namespace tileloom::layout {
namespace {

template <class F>
void measure(benchmark::State& state, const F& f) {
  benchmark::DoNotOptimize(f());
  const std::size_t before = allocations;
  for (auto _ : state) {
    benchmark::DoNotOptimize(f());
  }
  state.counters["allocations"] =
      benchmark::Counter(static_cast<double>(allocations - before), benchmark::Counter::kAvgIterations);
}

const char* name_of(Semantics s) {
  return s == Semantics::cute ? "cute" : "correct";
}

void composition_rank2(benchmark::State& state) {
  const auto semantics = static_cast<Semantics>(state.range(0));
  state.SetLabel(name_of(semantics));
  const Layout a = parse_layout("(_16,_8):(_8,_1)");
  const Layout b = parse_layout("(_4,_8):(_8,_1)");
  measure(state, [&] { return composition(a, b, semantics); });
}

void complement_rank2(benchmark::State& state) {
  const auto semantics = static_cast<Semantics>(state.range(0));
  state.SetLabel(name_of(semantics));
  const Layout a = parse_layout("(_4,_8):(_2,_16)");
  const Tree target(Int::make_static(1024));
  measure(state, [&] { return complement(a, target, semantics); });
}

void logical_divide_rank2(benchmark::State& state) {
  const auto semantics = static_cast<Semantics>(state.range(0));
  state.SetLabel(name_of(semantics));
  const Layout a = parse_layout("(_16,_64):(_64,_1)");
  const Tiler t = parse_tiler("(_4,_8):(_1,_16)");
  measure(state, [&] { return logical_divide(a, t, semantics); });
}

void logical_product_rank2(benchmark::State& state) {
  const auto semantics = static_cast<Semantics>(state.range(0));
  state.SetLabel(name_of(semantics));
  const Layout a = parse_layout("(_4,_8):(_8,_1)");
  const Tiler t = parse_tiler("(_4,_8):(_1,_4)");
  measure(state, [&] { return logical_product(a, t, semantics); });
}

void right_inverse_rank4(benchmark::State& state) {
  const auto semantics = static_cast<Semantics>(state.range(0));
  state.SetLabel(name_of(semantics));
  const Layout a = parse_layout("((_2,_4),(_8,_16)):((_64,_1),(_128,_4))");
  measure(state, [&] { return right_inverse(a, semantics); });
}

void coalesce_8_leaves(benchmark::State& state) {
  const Layout a = parse_layout("((_2,_2),(_2,_2),((_2,_2),(_2,_2))):((_1,_2),(_8,_4),((_16,_64),(_32,_128)))");
  measure(state, [&] { return coalesce(a); });
}

// The costliest check: divisibility does not settle a stride of 9 over a mode of 6, so 1024 values are compared.
void composition_by_enumeration(benchmark::State& state) {
  const Layout a = parse_layout("(_6,_8192):(_1,_7)");
  const Layout b = parse_layout("(_2,_512):(_9,_36)");
  measure(state, [&] { return composition(a, b, Semantics::correct); });
}

void parse_and_print(benchmark::State& state) {
  const std::string text = "((_2,_4),(_8,_16)):((_64,_1),(_128,_4))";
  measure(state, [&] { return to_string(parse_layout(text)); });
}

BENCHMARK(composition_rank2)->Arg(1)->Arg(0);
BENCHMARK(logical_divide_rank2)->Arg(1)->Arg(0);
BENCHMARK(complement_rank2)->Arg(1)->Arg(0);
BENCHMARK(logical_product_rank2)->Arg(1)->Arg(0);
BENCHMARK(right_inverse_rank4)->Arg(1)->Arg(0);
BENCHMARK(coalesce_8_leaves);
BENCHMARK(composition_by_enumeration);
BENCHMARK(parse_and_print);

}  // namespace
}  // namespace tileloom::layout

BENCHMARK_MAIN();
