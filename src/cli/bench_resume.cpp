// SPDX-License-Identifier: Apache-2.0
#include "cli/bench_resume.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "text/atomic_file.hpp"
#include "tileloom/error.hpp"

namespace tileloom::cli {
namespace {

constexpr std::size_t longest_value = 60;  // that a message shows

[[noreturn]] void refuse(const std::string& file, const std::string& name, const Json& expected, const Json& found) {
  const std::string hint = "it belongs to another run: name another file, or remove it";
  if (expected.is_structured() || expected.dump().size() + found.dump().size() > longest_value) {
    throw Error(ErrorKind::bad_input,
                fmt::format("--resume {}: expected the {} of this request, found others", file, name), hint);
  }
  throw Error(ErrorKind::bad_input,
              fmt::format("--resume {}: expected {} {} as in this request, found {}", file, name, expected.dump(),
                          found.dump()),
              hint);
}

void check_same(const std::string& file, const std::string& name, const Json& expected, const Json& found) {
  if (nlohmann::json(expected) != nlohmann::json(found)) {  // whatever the order of the keys
    refuse(file, name, expected, found);
  }
}

// Field by field, so that the message can name what differs.
void check_fields(const std::string& file, const std::string& object, const Json& begun, const Json& stored) {
  const Json found = stored.contains(object) ? stored.at(object) : Json::object();
  for (const auto& [name, expected] : begun.at(object).items()) {
    check_same(file, name, expected, found.contains(name) ? found.at(name) : Json(nullptr));
  }
}

}  // namespace

ResumeFile::ResumeFile(std::string file, const Json& begun) : file_(std::move(file)) {
  if (file_.empty() || !std::filesystem::exists(file_)) {
    return;
  }
  stored_ = read_bench_report(file_);
  for (const char* object : {"request", "environment"}) {
    check_fields(file_, object, begun, stored_->json);
  }
  for (const char* name : {"tileloom_version", "git_revision"}) {
    check_same(file_, name, begun.at(name), stored_->json.at(name));
  }
}

std::optional<Json> ResumeFile::ceilings() const {
  const bool there = stored_ && !stored_->report.ceilings.empty();
  return there ? std::optional(stored_->json.at("ceilings")) : std::nullopt;
}

std::optional<Json> ResumeFile::shape(const bench::Shape& shape) const {
  for (std::size_t i = 0; stored_ && i < stored_->report.shapes.size(); ++i) {
    if (stored_->report.shapes[i].shape.same_sizes(shape)) {
      return stored_->json.at("shapes").at(i);
    }
  }
  return std::nullopt;
}

void ResumeFile::save(const Json& report) const {
  if (!file_.empty()) {
    write_file(file_, json_text(report));
  }
}

}  // namespace tileloom::cli
