// SPDX-License-Identifier: Apache-2.0
// What each op is to the counters, and their sums.
#include <string_view>

#include "emu/check/site.hpp"
#include "emu/count/counter.hpp"
#include "emu/isa/matrix_maps.hpp"

namespace tileloom::emu {
namespace {

AccessClass class_of(Site::Kind kind, std::string_view root) {
  using Kind = Site::Kind;
  switch (kind) {
    case Kind::load:
      return AccessClass::load;
    case Kind::store:
      return AccessClass::store;
    case Kind::atomic:  // relaxed and volatile loads and stores are the same instructions to the memory
      return root == "ld" ? AccessClass::load : root == "st" ? AccessClass::store : AccessClass::atomic;
    case Kind::load_matrix:
      return AccessClass::ldmatrix;
    case Kind::store_matrix:
      return AccessClass::stmatrix;
    case Kind::copy:
      return AccessClass::cp_async;
    default:
      return AccessClass::none;
  }
}

AccessForm form_of(const Op& op, AccessClass access, std::string_view opcode) {
  using hw::SharedOp;
  AccessForm form{access, SharedOp::load, op.bytes, op.bytes, all_lanes};
  switch (access) {
    case AccessClass::store:
      form.op = SharedOp::store;
      break;
    case AccessClass::ldmatrix:
    case AccessClass::stmatrix: {
      form.op = access == AccessClass::ldmatrix ? SharedOp::ldmatrix : SharedOp::stmatrix;
      form.size = op.list_reads != 0 ? op.list_reads : op.list_writes;
      form.givers = row_givers(op);
      break;
    }
    case AccessClass::cp_async:
      form.op = opcode.find(".cg") != std::string_view::npos ? SharedOp::cp_async_cg : SharedOp::cp_async_ca;
      form.sized = op.c.area() != Slot::Area::constant || (op.mode & 2) != 0;
      break;
    default:
      break;
  }
  return form;
}

}  // namespace

LaunchCounters::LaunchCounters(const Program& program) : program_(program), sums_(program.ops.size()) {
  const std::vector<Site> sites = find_sites(program);
  for (std::uint32_t at = 0; at < sites.size(); ++at) {
    const std::string_view opcode = program.opcode(at);
    const AccessClass access = class_of(sites[at].kind, opcode.substr(0, opcode.find('.')));
    forms_.push_back(access == AccessClass::none ? AccessForm{} : form_of(program.ops[at], access, opcode));
  }
}

void LaunchCounters::add(const std::vector<OpCount>& counted) {
  const std::scoped_lock lock(mutex_);
  for (std::size_t at = 0; at < counted.size(); ++at) {
    sums_[at].executions += counted[at].executions;
    sums_[at].lanes += counted[at].lanes;
    sums_[at].price.shared += counted[at].price.shared;
    sums_[at].price.global += counted[at].price.global;
  }
}

Counters LaunchCounters::finish() const {
  Counters made;
  for (std::uint32_t at = 0; at < sums_.size(); ++at) {
    const OpCount& sum = sums_[at];
    if (sum.executions == 0) continue;
    made.instructions.push_back({program_.instruction_place(at), forms_[at].access, sum.executions, sum.lanes,
                                 sum.price.shared, sum.price.global});
  }
  return made;
}

}  // namespace tileloom::emu
