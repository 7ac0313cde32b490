// SPDX-License-Identifier: Apache-2.0
// The configurations of the shipped kernels, made anew from the C++ types that the kernels are compiled from: each
// instance's `using Config = ...` is that of its source, FAMILY.cu.in, filled in as the build does.
//
// Not of family `handwritten`, which has no such types: there tests/emu compares configurations with what runs.
//
// Two things are written out here because no type holds them: what the kernels ask of global memory, and the epilogue
// (epilogue.cuh), whose shared tile and stores are made inside of the function.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/config_file.hpp"
#include "kernels/configurations.hpp"
#include "support/cute_program.hpp"
#include "unit/describe/same_kernel.hpp"

namespace tileloom::trace::test {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* prologue = R"~(
#include "tileloom/describe.hpp"
#include <iostream>

// What nvcc declares, for the bodies of the kernels; nothing calls them here.
extern const uint3 threadIdx, blockIdx;
void __syncthreads();

#include "kernels/multistage.cuh"
#include "kernels/simple.cuh"
#include "kernels/smem.cuh"

using namespace cute;
using tileloom::describe::Kernel;

template <class Config>
Kernel simple(const char* name) {
  return Kernel(name).mma(typename Config::TiledMma{}).output_type(half_t{}).tile(typename Config::Tile{})
      .gmem_a("(M,K):(lda,_1)").gmem_b("(N,K):(ldb,_1)").gmem_c("(M,N):(ldd,_1)");
}

// Stage after stage, of each A and B together.
template <class Config, int kStages, class Stage>
auto stages_of(Stage stage) {
  if constexpr (kStages == 1) {
    return stage;
  } else {
    return append<3>(stage, Layout<Int<kStages>, Int<Config::kStageHalvesA + Config::kStageHalvesB>>{});
  }
}

template <class Config, int kStages>
Kernel smem(const char* name) {
  using Copy = typename tileloom::kernels::OperandCopy<Config::kTileK, Config::kThreads>::TiledCopy;
  using Load = typename Config::LoadAtom;
  return simple<Config>(name)
      .stages(kStages)
      .gmem_a("(M,K):(lda{div=8},_1)")
      .gmem_b("(N,K):(ldb{div=8},_1)")
      .smem_a(stages_of<Config, kStages>(typename Config::StageA{}))
      .smem_b(stages_of<Config, kStages>(typename Config::StageB{}))
      .smem_at_b(2 * Config::kStageHalvesA)
      .g2s_a(Copy{})
      .g2s_b(Copy{})
      .s2r_a(Load{})
      .s2r_b(Load{});
}

template <class Config, int kStages>
Kernel multistage(const char* name) {
  constexpr int kMmaN = decltype(size<2>(
      partition_shape_C(typename Config::TiledMma{}, Shape<Int<Config::kTileM>, Int<Config::kTileN>>{})))::value;
  constexpr int kSlabs = kMmaN / 2 % 4 == 0 ? 4 : kMmaN / 2 % 2 == 0 ? 2 : 1;
  constexpr int kColumns = kSlabs * Config::kStepN;
  auto atom = composition(Swizzle<3, 3, 3>{},
                          Layout<Shape<Int<Config::kStepM>, Int<Config::kStepN>>, Stride<Int<Config::kStepN>, _1>>{});
  auto slab = tile_to_shape(atom, Shape<Int<Config::kStepM>, Int<kColumns>>{});
  auto store = make_tiled_copy(
      Copy_Atom<UniversalCopy<uint128_t>, half_t>{},
      Layout<Shape<Int<Config::kThreads * 8 / kColumns>, Int<kColumns / 8>>, Stride<Int<kColumns / 8>, _1>>{},
      Layout<Shape<_1, _8>>{});
  return smem<Config, kStages>(name)
      .gmem_c("(M,N):(ldd{div=8},_1)")
      .smem_c(slab)
      .r2s(UniversalCopy<uint32_t>{})
      .s2g(store);
}
)~";

std::string read(const std::string& file) {
  std::ifstream in(std::string(TILELOOM_SOURCE_DIR) + "/src/kernels/" + file);
  return {std::istreambuf_iterator<char>(in), {}};
}

// `using Config = ...;` of the instance's source.
std::string config_of(const Json& instance) {
  const std::string source = read(instance["family"].get<std::string>() + ".cu.in");
  const std::size_t from = source.find("using Config");
  std::string text = source.substr(from, source.find(';', from) + 1 - from);
  const std::map<std::string, std::string> fields{
      {"@mma_op@", instance["accumulate"] == "f32" ? TILELOOM_MMA_OP_f32 : TILELOOM_MMA_OP_f16},
      {"@tile_m@", instance["tile"][0].dump()},
      {"@tile_n@", instance["tile"][1].dump()},
      {"@tile_k@", instance["tile"][2].dump()},
      {"@warps_m@", instance["warps"][0].dump()},
      {"@warps_n@", instance["warps"][1].dump()},
      {"@threads@", instance["threads"].dump()}};
  for (const auto& [field, value] : fields) {
    for (std::size_t at = text.find(field); at != std::string::npos; at = text.find(field)) {
      text.replace(at, field.size(), value);
    }
  }
  return text;
}

TEST(ShippedKernels, are_what_their_types_say) {
  const Json instances = Json::parse(read("instances.json"));
  std::string program = std::string(prologue) + "int main() {\n";
  std::vector<std::string> names;
  for (const Json& instance : instances) {
    const std::string family = instance["family"];
    if (family == "handwritten") continue;
    names.push_back(instance["name"]);
    const std::string stages = family == "simple" ? "" : ", " + instance["stages"][1].dump();
    program += "  {\n    " + config_of(instance) + "\n    " + family + "<Config" + stages + ">(" +
               instance["name"].dump() + ").arch(\"sm_" + instance["min_arch"].dump() +
               "\").write(std::cout);\n    std::cout << \"==\\n\";\n  }\n";
  }
  const std::string folders = "-I'" TILELOOM_SOURCE_DIR "/include' -I'" TILELOOM_SOURCE_DIR "/src'";
  std::string text;
  std::size_t described = 0;
  for (const std::string& line : tileloom::test::run_cute_program(program + "}\n", folders)) {
    if (line != "==") {
      text += line + "\n";
      continue;
    }
    const std::string& name = names.at(described++);
    expect_same_kernel(cli::read_kernel_config(name, {}), cli::read_config(name + " of its types", text));
    text.clear();
  }
  EXPECT_EQ(described, names.size());
}

}  // namespace
}  // namespace tileloom::trace::test
