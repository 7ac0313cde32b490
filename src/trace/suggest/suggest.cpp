// SPDX-License-Identifier: Apache-2.0
#include "tileloom/trace/suggest.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <set>
#include <tuple>

#include "tileloom/error.hpp"
#include "tileloom/trace/overview.hpp"
#include "trace/copy_ends.hpp"
#include "trace/suggest/tiles.hpp"

namespace tileloom::trace {

namespace {

constexpr std::size_t shown = 3;
constexpr std::int64_t line_bytes = 128;  // of global memory, that cp.async takes at once

using Failures = std::set<std::pair<std::string, std::string>>;

Failures failures_of(const Kernel& kernel) {
  Failures all;
  for (const Property& p : check_kernel(kernel).properties) {
    if (p.verdict == Verdict::bad) {
      all.emplace(p.name, p.text);
    }
  }
  return all;
}

// --- Costs -------------------------------------------------------------------------------------------------------

// Both ends of one operand at shared memory. Which lane gives which element's address does not depend on the layout.
struct Ends {
  std::optional<SharedEnd> write;
  std::optional<SharedEnd> read;

  explicit Ends(const OperandPath& path) : write(write_end(path)), read(read_end(path)) {}
  [[nodiscard]] bool has_cost() const {
    return (write || read) && (!write || write->has_cost()) && (!read || read->has_cost());
  }
  [[nodiscard]] std::int64_t widest() const { return std::max(write ? write->width : 0, read ? read->width : 0); }
  [[nodiscard]] bool aligned(std::span<const std::int64_t> bytes) const {
    return (!write || alignment_of(write->lanes, bytes) >= write->width) &&
           (!read || alignment_of(read->lanes, bytes) >= read->width);
  }
  [[nodiscard]] LayoutCost cost(std::span<const std::int64_t> bytes) const {
    LayoutCost c;
    if (write) c.write = shared_cost(*write, bytes);
    if (read) c.read = shared_cost(*read, bytes);
    return c;
  }
};

std::vector<std::int64_t> bytes_of(const TileLayout& tile, const OperandPath& path) {
  std::vector<std::int64_t> bytes = tile.inner->offsets;
  std::ranges::transform(bytes, bytes.begin(),
                         [&](std::int64_t offset) { return path.shared_at + tile.swizzle(offset) * path.bits / 8; });
  return bytes;
}

LayoutCost cost_now(const OperandPath& path) {
  const Ends ends(path);
  const std::vector<std::int64_t> bytes = shared_bytes(path);
  return ends.has_cost() && ends.aligned(bytes) ? ends.cost(bytes) : LayoutCost{};
}

// --- The search --------------------------------------------------------------------------------------------------

struct Candidate {
  TileLayout tile;
  std::int64_t excess = 0;
  std::int64_t bytes = 0;  // more than now
};

std::vector<Candidate> candidates(const Kernel& kernel, const OperandPath& path) {
  const Ends ends(path);
  std::vector<Candidate> all;
  if (!ends.has_cost()) {
    return all;
  }
  const std::int64_t together = std::max<std::int64_t>(1, ends.widest() * 8 / path.bits);
  const Stages stages = stages_of(kernel, path);
  const std::vector<std::int64_t> now = shared_bytes(path);
  for (TileLayout& tile : tile_layouts(kernel, path, together)) {
    const std::vector<std::int64_t> bytes = bytes_of(tile, path);
    if (ends.aligned(bytes)) {
      tile.what += bytes == now ? ", as now" : "";
      const std::int64_t more = (tile.extent - stages.extent) * stages.count * path.bits / 8;
      all.push_back({std::move(tile), ends.cost(bytes).excess(), more});
    }
  }
  std::ranges::stable_sort(all, {}, [](const Candidate& c) { return std::tuple(c.excess, c.bytes); });
  return all;
}

// The candidate put into the configuration; nothing where a check fails that passes now.
std::optional<Suggestion> realize(const Kernel& kernel, const OperandPath& path, const Candidate& c,
                                  const Failures& before) {
  Suggestion s{c.tile.what, place_tile(kernel, path, c.tile), {}, {}, 0};
  s.config = with_settings(kernel.config, s.settings);
  try {
    const Kernel changed = build_kernel(s.config, kernel.sizes);
    if (!std::ranges::includes(before, failures_of(changed))) {
      return std::nullopt;
    }
    s.cost = cost_now(changed.path(path.operand));
    s.shared_bytes = changed.shared_bytes;
    return s;
  } catch (const Error&) {
    return std::nullopt;
  }
}

std::optional<Suggestion> best_of(const Kernel& kernel, Operand o, const Failures& before) {
  const OperandPath& path = kernel.path(o);
  for (const Candidate& c : candidates(kernel, path)) {
    if (auto s = realize(kernel, path, c, before)) {
      return s;
    }
  }
  return std::nullopt;
}

// --- What no layout can change -----------------------------------------------------------------------------------

// Wavefronts of one instruction if its destination had no conflict at all.
int bound_of(const SharedEnd& end, std::size_t i, int ideal, const hw::GlobalTraffic& traffic) {
  if (end.op == hw::SharedOp::cp_async_cg) {
    return std::max(ideal, traffic.lines);  // moves are between one line of each memory
  }
  std::array<std::uint32_t, warp_size> apart{};
  std::array<std::uint64_t, warp_size> global{};
  const LaneElements::Lanes& lanes = end.source->lanes.instructions()[i];
  for (std::size_t lane = 0; lane < warp_size; ++lane) {
    apart[lane] = static_cast<std::uint32_t>(lane) * static_cast<std::uint32_t>(end.width);
    global[lane] = static_cast<std::uint64_t>(end.source->bytes[static_cast<std::size_t>(lanes.element[lane])]);
  }
  return hw::shared_wavefronts({end.op, end.size, apart, global, lanes.active}).low;
}

// Bytes along the contiguous mode of the tile in global memory.
std::int64_t row_bytes(const OperandPath& path) {
  return (rows_are_contiguous(*path.global) ? path.rows : path.columns) * path.bits / 8;
}

std::optional<SourceBound> source_bound(const OperandPath& path) {
  const auto write = write_end(path);
  if (!write || !write->source) {
    return std::nullopt;
  }
  SourceBound bound;
  std::int64_t ideal_of_all = 0;
  for (std::size_t i = 0; i < write->lanes.instructions().size(); ++i) {
    const LaneElements::Lanes& lanes = write->source->lanes.instructions()[i];
    std::array<std::uint64_t, warp_size> global{};
    for (std::size_t lane = 0; lane < warp_size; ++lane) {
      global[lane] = static_cast<std::uint64_t>(write->source->bytes[static_cast<std::size_t>(lanes.element[lane])]);
    }
    const hw::GlobalTraffic t = hw::global_traffic({write->width, global, lanes.active});
    const int per_wavefront = static_cast<int>(line_bytes) / write->width;
    const int ideal = (std::popcount(lanes.active) + per_wavefront - 1) / per_wavefront;
    const int least = bound_of(*write, i, ideal, t);
    bound.all += least;
    ideal_of_all += ideal;
    if (least > bound.worst) {
      bound = {least, ideal, t.lines, bound.all, row_bytes(path)};
    }
  }
  return bound.all > ideal_of_all ? std::optional(bound) : std::nullopt;
}

void merge(Settings& settings, const Settings& more) {
  for (const auto& [name, value] : more) {
    const auto at = std::ranges::find(settings, name, &std::pair<std::string, std::string>::first);
    if (at != settings.end()) {
      at->second = value;
    } else {
      settings.emplace_back(name, value);
    }
  }
}

std::optional<WiderTile> widened(const Kernel& kernel, std::int64_t factor, int stages, const Failures& before) {
  auto settings = wider_tile(kernel, factor, stages);
  if (!settings) {
    return std::nullopt;
  }
  try {
    Kernel changed = build_kernel(with_settings(kernel.config, *settings), kernel.sizes);
    WiderTile wider;
    for (const Operand o : {Operand::a, Operand::b}) {
      const auto s = best_of(changed, o, before);
      if (!s) {
        return std::nullopt;
      }
      merge(*settings, s->settings);
      (o == Operand::a ? wider.a : wider.b) = s->cost;
      changed = build_kernel(s->config, kernel.sizes);
    }
    wider.suggestion = {
        "K tile of " + std::to_string(changed.config.tile[2]), *settings, changed.config, {}, changed.shared_bytes};
    return wider;
  } catch (const Error&) {
    return std::nullopt;
  }
}

// With as many stages as fit.
std::optional<WiderTile> wider_along_k(const Kernel& kernel, std::int64_t row, const Failures& before) {
  if (row >= line_bytes || line_bytes % row != 0) {
    return std::nullopt;
  }
  for (int stages = kernel.config.stages; stages >= std::min(2, kernel.config.stages); --stages) {
    if (auto wider = widened(kernel, line_bytes / row, stages, before)) {
      return wider;
    }
  }
  return std::nullopt;
}

OperandSuggestions suggest_for(const Kernel& kernel, const OperandPath& path, const Failures& before) {
  OperandSuggestions result;
  result.operand = path.operand;
  result.now = cost_now(path);
  const std::vector<Candidate> all = candidates(kernel, path);
  result.searched = static_cast<std::int64_t>(all.size());
  for (const Candidate& c : all) {
    const bool wanted = result.best.size() < shown || (c.tile.padded && !result.padding);
    if (!wanted) {
      continue;
    }
    if (auto s = realize(kernel, path, c, before)) {
      if (result.best.size() < shown) {
        result.best.push_back(*s);
      }
      if (c.tile.padded && !result.padding) {
        result.padding = std::move(s);
      }
    }
  }
  result.bound = source_bound(path);
  return result;
}

}  // namespace

std::int64_t LayoutCost::excess() const {
  const auto of = [](const std::optional<SharedCost>& c) { return c ? c->high - c->ideal : 0; };
  return of(write) + of(read);
}

Suggestions suggest_layouts(const Kernel& kernel) {
  const Failures before = failures_of(kernel);
  Suggestions all;
  for (const OperandPath& p : kernel.operands) {
    if (!p.shared || (!p.fill && !p.drain)) {
      continue;
    }
    all.operands.push_back(suggest_for(kernel, p, before));
    const auto& bound = all.operands.back().bound;
    if (bound && !all.wider && !rows_are_contiguous(*p.global)) {
      all.wider = wider_along_k(kernel, bound->row_bytes, before);
    }
  }
  return all;
}

}  // namespace tileloom::trace
