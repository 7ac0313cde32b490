// SPDX-License-Identifier: Apache-2.0
#include "tileloom/hw/mma_numerics.hpp"

#include "tileloom/error.hpp"

namespace tileloom::hw {
namespace {

constexpr MmaNumerics ampere_k16{
    .steps = 2,
    .terms = 8,
    .fraction_bits = 24,
    .measured = false,
    .source = "microsoft/MMA-Sim c785138 (arXiv 2511.10909); arXiv 2512.07004 agrees; not measured by this project"};

constexpr MmaNumerics hopper_k16{
    .steps = 1,
    .terms = 16,
    .fraction_bits = 25,
    .measured = true,
    .source = "measured on an H200: every element of tests/golden/h200/mma_*.bin and wgmma_*.bin"};

constexpr MmaNumerics blackwell_k16{
    .steps = 1,
    .terms = 16,
    .fraction_bits = 25,
    .measured = false,
    .source = "microsoft/MMA-Sim c785138 (arXiv 2511.10909); not measured by this project"};

}  // namespace

MmaNumerics mma_numerics_k16(Arch arch) {
  if (arch < sm_80) {
    throw Error(ErrorKind::cannot_run,
                "tensor-core instruction of K = 16: expected sm_80 or later, found " + to_string(arch),
                "choose an architecture from sm_80 on");
  }
  if (arch < sm_90) {
    return ampere_k16;
  }
  return arch == sm_90 ? hopper_k16 : blackwell_k16;
}

}  // namespace tileloom::hw
