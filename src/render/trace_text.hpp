// SPDX-License-Identifier: Apache-2.0
// What `tileloom trace` says of a kernel, as text.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "tileloom/trace/explain.hpp"
#include "tileloom/trace/overview.hpp"
#include "tileloom/trace/route.hpp"
#include "tileloom/trace/thread_elements.hpp"
#include "tileloom/trace/tile_map.hpp"

namespace tileloom::render {

void overview_text(std::ostream& out, const trace::Kernel& kernel, const trace::Overview& overview);
// The tensors alone.
void stages_text(std::ostream& out, const std::vector<trace::StageLayouts>& stages);
// The MMAs of a k-block, numbered.
void walk_text(std::ostream& out, const trace::GemmWalk& walk);
// At most `limit` MMAs, and how many more there are.
void elements_text(std::ostream& out, const trace::ThreadElements& elements, std::size_t limit);
void map_text(std::ostream& out, const trace::TileMap& map);

// Once before the tensors, and each of them.
void explain_head_text(std::ostream& out);
void explain_text(std::ostream& out, const trace::ExplainedTensor& tensor);

void route_text(std::ostream& out, const trace::Kernel& kernel, const trace::Route& route);
void register_text(std::ostream& out, const trace::Kernel& kernel, const trace::RegisterReport& report);

// `lane 3`, `warp 1 lane 3`
[[nodiscard]] std::string thread_text(const trace::Kernel& kernel, int thread);
// `tCrA(5,0,0)`
[[nodiscard]] std::string index_text(const std::string& name, const std::array<int, 3>& index);
// `f16`, `A(0,9)`, `A(0,8..15)`; C's elements are called D's, the results.
[[nodiscard]] std::string element_text(trace::Operand operand, hw::MatrixPosition p);
[[nodiscard]] std::string range_text(char letter, hw::MatrixPosition first, hw::MatrixPosition last);
// Neighbours in one row or column as a range, others one by one.
[[nodiscard]] std::string elements_text(trace::Operand operand, std::span<const hw::MatrixPosition> elements);
// `0..3, 8`
[[nodiscard]] std::string numbers_text(const std::vector<int>& ascending);
// `M = 4096, K = 4096`
[[nodiscard]] std::string sizes_text(const trace::Kernel& kernel);
// ` of CTA (3,5), launched block 29 of 512`; empty for CTA (0,0)
[[nodiscard]] std::string cta_text(const trace::Kernel& kernel, trace::CtaIndex cta);

}  // namespace tileloom::render
