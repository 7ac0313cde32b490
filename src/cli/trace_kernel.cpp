// SPDX-License-Identifier: Apache-2.0
#include "cli/trace_kernel.hpp"

#include "cli/arguments.hpp"
#include "cli/trace_json.hpp"
#include "cli/trace_names.hpp"
#include "render/trace_text.hpp"
#include "tileloom/error.hpp"

namespace tileloom::cli {

using trace::CtaIndex;
using trace::Kernel;
using trace::Operand;

namespace {

constexpr std::size_t shown_mmas = 16;  // of an operand, as text

// One question, answered as text or as JSON.
class Answer {
 public:
  Answer(const Kernel& kernel, const TraceQuestion& q, const Json& header, std::ostream& out)
      : kernel_(kernel),
        q_(q),
        header_(header),
        out_(out),
        cta_(q.cta.empty() ? CtaIndex{} : parse_cta(q.cta)),
        thread_(q.thread.empty() ? 0 : parse_count("--thread", q.thread, 0, kernel.threads() - 1)),
        overview_(overview(kernel, thread_, cta_)) {}  // a copy at which CuTe would stop has no route either

  void element() const {
    const ElementName e = parse_element(q_.element);
    const trace::Route route = trace::RouteTracer(kernel_, cta_).follow(e.operand, e.position, e.k_tile);
    q_.json ? print({{"route", route_json(kernel_, route)}}) : render::route_text(out_, kernel_, route);
  }

  void one_register() const {
    if (q_.lane.empty()) {
      throw Error(ErrorKind::bad_input, "trace: --register without --lane",
                  "for example --register a2 --lane 0 --warp 1");
    }
    const int lane = static_cast<int>(parse_count("--lane", q_.lane, 0, 31));
    const int warp = q_.warp.empty() ? 0 : static_cast<int>(parse_count("--warp", q_.warp, 0, 31));
    const std::int64_t k_tile = q_.k_tile.empty() ? 0 : parse_count("--k-tile", q_.k_tile, 0, INT32_MAX);
    const trace::RegisterReport report = trace::RouteTracer(kernel_, cta_).report(q_.register_name, warp, lane, k_tile);
    q_.json ? print({{"register", register_json(kernel_, report)}}) : render::register_text(out_, kernel_, report);
  }

  void map() const {
    const trace::TileMap map = tile_map(kernel_, thread_elements(kernel_, parse_operand("--map", q_.map), thread_));
    q_.json ? print({{"map", map_json(map)}}) : render::map_text(out_, map);
  }

  void explained() const {
    std::vector<trace::StageLayouts> stages = wanted_stages();
    Json json = Json::array();
    if (!q_.json) {
      render::explain_head_text(out_);
    }
    for (const trace::StageLayouts& stage : stages) {
      if (!q_.json) {
        out_ << '\n' << stage.step << (stage.atom.empty() ? "" : "   " + stage.atom) << '\n';
      }
      for (const trace::NamedLayout& t : stage.tensors) {
        const trace::ExplainedTensor e = explain(kernel_, t, thread_);
        q_.json ? json.push_back(explained_json(e)) : render::explain_text(out_, e);
      }
    }
    if (q_.json) {
      print({{"thread", thread_}, {"explained", std::move(json)}});
    }
  }

  void tensors() const {
    const std::vector<trace::StageLayouts> stages = wanted_stages();
    q_.json ? print({{"thread", thread_}, {"stages", stages_json(stages)}}) : render::stages_text(out_, stages);
  }

  void whole() const {
    if (q_.json) {
      Json json = overview_json(overview_);
      if (!q_.thread.empty()) {
        json["elements"] = Json::array();
        for (const Operand o : {Operand::a, Operand::b, Operand::c}) {
          json["elements"].push_back(elements_json(thread_elements(kernel_, o, thread_)));
        }
      }
      print(json);
      return;
    }
    render::overview_text(out_, kernel_, overview_);
    if (!q_.thread.empty()) {
      for (const Operand o : {Operand::a, Operand::b, Operand::c}) {
        out_ << '\n';
        render::elements_text(out_, thread_elements(kernel_, o, thread_), shown_mmas);
      }
    }
  }

 private:
  [[nodiscard]] std::vector<trace::StageLayouts> wanted_stages() const {
    return q_.tensors.empty() ? overview_.stages : named_tensors(overview_.stages, q_.tensors);
  }
  void print(const Json& answer) const {
    Json json = header_;
    json["kernel"] = kernel_json(kernel_);
    json["kernel"].update(cta_json(kernel_, cta_));
    json.update(answer);
    out_ << json.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
  }

  const Kernel& kernel_;
  const TraceQuestion& q_;
  const Json& header_;
  std::ostream& out_;
  CtaIndex cta_;
  std::int64_t thread_;
  trace::Overview overview_;
};

// Questions that cannot be asked together, and options that belong to one of them.
void check_together(const TraceQuestion& q) {
  std::string first;
  const auto ask = [&](bool asked, const std::string& option) {
    if (asked && !first.empty()) {
      throw Error(ErrorKind::bad_input, "trace: both " + first + " and " + option, "give one of them");
    }
    first = asked ? option : first;
  };
  ask(!q.element.empty(), "--element");
  ask(!q.register_name.empty(), "--register");
  ask(!q.map.empty(), "--map");
  ask(q.explain, "--explain");
  const std::string question = first;
  if (!q.tensors.empty() && !question.empty() && !q.explain) {
    throw Error(ErrorKind::bad_input, "trace: both " + question + " and --tensor", "give one of them");
  }
  if (q.register_name.empty() && !(q.lane.empty() && q.warp.empty() && q.k_tile.empty())) {
    throw Error(ErrorKind::bad_input, "trace: --lane, --warp and --k-tile belong to --register");
  }
}

}  // namespace

void run_trace_kernel(const Kernel& kernel, const TraceQuestion& q, const Json& header, std::ostream& out) {
  check_together(q);
  const Answer answer(kernel, q, header, out);
  if (!q.element.empty()) {
    answer.element();
  } else if (!q.register_name.empty()) {
    answer.one_register();
  } else if (!q.map.empty()) {
    answer.map();
  } else if (q.explain) {
    answer.explained();
  } else if (!q.tensors.empty()) {
    answer.tensors();
  } else {
    answer.whole();
  }
}

}  // namespace tileloom::cli
