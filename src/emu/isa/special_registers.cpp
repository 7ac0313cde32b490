// SPDX-License-Identifier: Apache-2.0
#include "emu/isa/special_registers.hpp"

#include <array>

#include "tileloom/hw/limits.hpp"

namespace tileloom::emu {
namespace {

struct LaneContext {
  const Warp& warp;
  const LaunchOptions& options;
  std::uint32_t lane;
  [[nodiscard]] std::uint32_t thread() const { return warp.index * lanes + lane; }
};
using Value = std::uint32_t (*)(const LaneContext&);

struct Special {
  std::string_view name;
  Value value;
};

constexpr Value zero = [](const LaneContext&) -> std::uint32_t { return 0; };
constexpr Value one = [](const LaneContext&) -> std::uint32_t { return 1; };
constexpr Value ctaid_x = [](const LaneContext& c) { return c.warp.cta->index.x; };
constexpr Value ctaid_y = [](const LaneContext& c) { return c.warp.cta->index.y; };
constexpr Value ctaid_z = [](const LaneContext& c) { return c.warp.cta->index.z; };
constexpr Value nctaid_x = [](const LaneContext& c) { return c.options.grid.x; };
constexpr Value nctaid_y = [](const LaneContext& c) { return c.options.grid.y; };
constexpr Value nctaid_z = [](const LaneContext& c) { return c.options.grid.z; };
constexpr Value shared_bytes = [](const LaneContext& c) { return c.warp.cta->launch->shared_bytes; };

// A CTA is a cluster of its own.
constexpr std::array specials{
    Special{"%tid.x", [](const LaneContext& c) { return c.thread() % c.options.block.x; }},
    Special{"%tid.y", [](const LaneContext& c) { return c.thread() / c.options.block.x % c.options.block.y; }},
    Special{"%tid.z", [](const LaneContext& c) { return c.thread() / c.options.block.x / c.options.block.y; }},
    Special{"%ntid.x", [](const LaneContext& c) { return c.options.block.x; }},
    Special{"%ntid.y", [](const LaneContext& c) { return c.options.block.y; }},
    Special{"%ntid.z", [](const LaneContext& c) { return c.options.block.z; }},
    Special{"%ctaid.x", ctaid_x},
    Special{"%ctaid.y", ctaid_y},
    Special{"%ctaid.z", ctaid_z},
    Special{"%nctaid.x", nctaid_x},
    Special{"%nctaid.y", nctaid_y},
    Special{"%nctaid.z", nctaid_z},
    Special{"%laneid", [](const LaneContext& c) { return c.lane; }},
    Special{"%warpid", [](const LaneContext& c) { return c.warp.index; }},
    Special{"%nwarpid", [](const LaneContext& c) { return hw::limits(c.options.arch).warps_per_sm; }},
    Special{"%lanemask_eq", [](const LaneContext& c) { return 1U << c.lane; }},
    Special{"%lanemask_lt", [](const LaneContext& c) { return (1U << c.lane) - 1; }},
    Special{"%lanemask_le", [](const LaneContext& c) { return (2U << c.lane) - 1; }},
    Special{"%lanemask_gt", [](const LaneContext& c) { return ~((2U << c.lane) - 1); }},
    Special{"%lanemask_ge", [](const LaneContext& c) { return ~((1U << c.lane) - 1); }},
    Special{"%smid", zero},
    Special{"%nsmid", one},
    Special{"%dynamic_smem_size", [](const LaneContext& c) { return c.options.dynamic_shared_bytes; }},
    Special{"%total_smem_size", shared_bytes},
    Special{"%aggr_smem_size",
            [](const LaneContext& c) {
              return shared_bytes(c) + hw::limits(c.options.arch).reserved_shared_bytes_per_cta;
            }},
    Special{"%clusterid.x", ctaid_x},
    Special{"%clusterid.y", ctaid_y},
    Special{"%clusterid.z", ctaid_z},
    Special{"%nclusterid.x", nctaid_x},
    Special{"%nclusterid.y", nctaid_y},
    Special{"%nclusterid.z", nctaid_z},
    Special{"%cluster_ctaid.x", zero},
    Special{"%cluster_ctaid.y", zero},
    Special{"%cluster_ctaid.z", zero},
    Special{"%cluster_nctaid.x", one},
    Special{"%cluster_nctaid.y", one},
    Special{"%cluster_nctaid.z", one},
    Special{"%cluster_ctarank", zero},
    Special{"%cluster_nctarank", one},
};

}  // namespace

std::optional<std::uint32_t> find_special(std::string_view name) {
  for (std::uint32_t i = 0; i < specials.size(); ++i) {
    if (specials[i].name == name) return i;
  }
  return std::nullopt;
}

std::uint32_t special_area_bytes() {
  return static_cast<std::uint32_t>(specials.size()) * bytes_of(RegisterClass::word);
}

void fill_specials(Warp& warp) {
  auto* to = reinterpret_cast<std::uint32_t*>(warp.special.get());
  for (const Special& special : specials) {
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
      *to++ = special.value({warp, warp.cta->launch->options, lane});
    }
  }
}

}  // namespace tileloom::emu
