// SPDX-License-Identifier: Apache-2.0
#include "render/finding_text.hpp"

namespace tileloom::render {
namespace {

std::string count(std::size_t n, const char* what) {
  return (n == 0 ? "no" : std::to_string(n)) + std::string(" ") + what + (n > 1 ? "s" : "");
}

}  // namespace

std::string count_findings(const std::vector<emu::Finding>& findings,
                           const std::vector<emu::UninitialisedRead>& reads) {
  return count(findings.size(), "race") + " and " + count(reads.size(), "uninitialised read");
}

void findings_text(std::ostream& out, const std::vector<emu::Finding>& findings,
                   const std::vector<emu::UninitialisedRead>& reads) {
  for (const emu::Finding& finding : findings) out << to_string(finding) << '\n';
  for (const emu::UninitialisedRead& read : reads) out << to_string(read) << '\n';
}

}  // namespace tileloom::render
