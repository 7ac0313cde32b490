// SPDX-License-Identifier: Apache-2.0
#include "trace.hpp"

#include "bindings.hpp"
#include "casts.hpp"
#include "cli/arguments.hpp"
#include "cli/trace_names.hpp"
#include "json.hpp"
#include "tileloom/error.hpp"

namespace tileloom::python {

using cli::Json;
using cli::TraceQuestion;

std::string Answer::text() const {
  TraceQuestion q = question;
  q.json = false;
  return text_of([&](std::ostream& out) { cli::run_trace_kernel(*kernel.model, q, Json::object(), out); });
}

Json Answer::json() const {
  TraceQuestion q = question;
  q.json = true;
  return Json::parse(text_of([&](std::ostream& out) {
    cli::run_trace_kernel(*kernel.model, q, Json{{"schema", "tileloom.trace/1"}}, out);
  }));
}

namespace {

using Pair = std::pair<std::int64_t, std::int64_t>;
using Element2 = std::tuple<std::string, std::int64_t, std::int64_t>;
using Element3 = std::tuple<std::string, std::int64_t, std::int64_t, std::int64_t>;
using ElementArgument = std::optional<std::variant<std::string, Element2, Element3>>;
using TensorArgument = std::optional<std::variant<std::string, std::vector<std::string>>>;
using Number = std::optional<std::int64_t>;

// Empty text would be no question at all.
template <class Argument>
void check_asked(const char* name, const Argument& argument, bool empty) {
  if (argument && empty) {
    throw Error(ErrorKind::bad_input, std::string(name) + ": expected a name, found nothing",
                "leave it away, or give None, to ask something else");
  }
}

std::string words(const Number& n) {
  return n ? std::to_string(*n) : "";
}

std::string element_words(const ElementArgument& element) {
  if (!element) {
    return "";
  }
  if (const auto* text = std::get_if<std::string>(&*element)) {
    return *text;
  }
  const auto numbers = [](std::int64_t row, std::int64_t column) {
    return ":" + std::to_string(row) + "," + std::to_string(column);
  };
  if (const auto* two = std::get_if<Element2>(&*element)) {
    return std::get<0>(*two) + numbers(std::get<1>(*two), std::get<2>(*two));
  }
  const auto& three = std::get<Element3>(*element);
  return std::get<0>(three) + numbers(std::get<1>(three), std::get<2>(three)) + "," +
         std::to_string(std::get<3>(three));
}

std::vector<std::string> tensor_words(const TensorArgument& tensor) {
  if (!tensor) {
    return {};
  }
  const auto* one = std::get_if<std::string>(&*tensor);
  return one != nullptr ? std::vector{*one} : std::get<std::vector<std::string>>(*tensor);
}

// Where the answer is computed, after the text of the same question has been refused or not.
class Asked {
 public:
  Asked(const PyKernel& kernel, TraceQuestion question) : answer_{kernel, std::move(question)} {
    const TraceQuestion& q = answer_.question;
    (void)answer_.text();
    cta_ = q.cta.empty() ? trace::CtaIndex{} : cli::parse_cta(q.cta);
    thread_ = q.thread.empty() ? 0 : std::stoll(q.thread);
  }

  [[nodiscard]] nb::object answer() const {
    const TraceQuestion& q = answer_.question;
    if (!q.element.empty()) {
      const cli::ElementName e = cli::parse_element(q.element);
      return nb::cast(RouteAnswer{answer_, trace::RouteTracer(model(), cta_).follow(e.operand, e.position, e.k_tile)});
    }
    if (!q.register_name.empty()) {
      return nb::cast(RegisterAnswer{
          answer_,
          trace::RouteTracer(model(), cta_).report(q.register_name, number(q.warp), number(q.lane), number(q.k_tile))});
    }
    if (!q.map.empty()) {
      const trace::Operand operand = cli::parse_operand("--map", q.map);
      return nb::cast(MapAnswer{answer_, tile_map(model(), thread_elements(model(), operand, thread_))});
    }
    return layouts();
  }

 private:
  [[nodiscard]] nb::object layouts() const {
    const TraceQuestion& q = answer_.question;
    trace::Overview all = overview(model(), thread_, cta_);
    std::vector<trace::StageLayouts> stages =
        q.tensors.empty() ? all.stages : cli::named_tensors(all.stages, q.tensors);
    if (q.explain) {
      ExplainedAnswer made{answer_, {}};
      for (const trace::StageLayouts& stage : stages) {
        for (const trace::NamedLayout& t : stage.tensors) {
          made.tensors.push_back(explain(model(), t, thread_));
        }
      }
      return nb::cast(std::move(made));
    }
    if (!q.tensors.empty()) {
      return nb::cast(TensorsAnswer{answer_, std::move(stages)});
    }
    OverviewAnswer made{answer_, std::move(all), {}};
    if (!q.thread.empty()) {
      for (const trace::Operand o : {trace::Operand::a, trace::Operand::b, trace::Operand::c}) {
        made.elements.push_back(thread_elements(model(), o, thread_));
      }
    }
    return nb::cast(std::move(made));
  }

  [[nodiscard]] const trace::Kernel& model() const { return *answer_.kernel.model; }
  [[nodiscard]] static int number(const std::string& text) { return text.empty() ? 0 : std::stoi(text); }

  Answer answer_;
  trace::CtaIndex cta_;
  std::int64_t thread_ = 0;
};

nb::object trace_kernel(const PyKernel& kernel, const ElementArgument& element,
                        const std::optional<std::string>& register_name, const Number& lane, const Number& warp,
                        const Number& k_tile, const std::optional<std::string>& map, bool explain,
                        const TensorArgument& tensor, const Number& thread, const std::optional<Pair>& cta) {
  TraceQuestion q;
  q.element = element_words(element);
  q.tensors = tensor_words(tensor);
  check_asked("element", element, q.element.empty());
  check_asked("register", register_name, register_name && register_name->empty());
  check_asked("map", map, map && map->empty());
  check_asked("tensor", tensor, q.tensors.empty());
  q.register_name = register_name.value_or("");
  q.lane = words(lane);
  q.warp = words(warp);
  q.k_tile = words(k_tile);
  q.map = map.value_or("");
  q.explain = explain;
  q.thread = words(thread);
  q.cta = cta ? std::to_string(cta->first) + "," + std::to_string(cta->second) : "";
  return Asked(kernel, std::move(q)).answer();
}

}  // namespace

void bind_trace(nb::module_& m) {
  nb::class_<Answer> answer(m, "Trace", "An answer of `Kernel.trace`; its text is what `tileloom trace` prints.");
  answer.def_ro("kernel", &Answer::kernel, "The kernel that was asked about.")
      .def(
          "to_dict", [](const Answer& a) { return to_python(a.json()); },
          nb::sig("def to_dict(self) -> dict[str, typing.Any]"),
          "What `tileloom trace --json` prints, without the fields about the program and its arguments.")
      .def("__str__", &Answer::text)
      .def("__repr__", &summary);
  def_equality(answer, [](const Answer& a) { return a.json(); });
  bind_route(m);
  bind_overview(m);
  bind_elements(m);
  nb::class_<PyKernel> kernel = nb::borrow<nb::class_<PyKernel>>(m.attr("Kernel"));
  kernel.def(
      "trace", &trace_kernel, nb::kw_only(), nb::arg("element") = nb::none(), nb::arg("register") = nb::none(),
      nb::arg("lane") = nb::none(), nb::arg("warp") = nb::none(), nb::arg("k_tile") = nb::none(),
      nb::arg("map") = nb::none(), nb::arg("explain") = false, nb::arg("tensor") = nb::none(),
      nb::arg("thread") = nb::none(), nb::arg("cta") = nb::none(),
      nb::sig("def trace(self, *, element: str | tuple[str, int, int] | tuple[str, int, int, int] | None = None, "
              "register: str | None = None, lane: int | None = None, warp: int | None = None, "
              "k_tile: int | None = None, map: str | None = None, explain: bool = False, "
              "tensor: str | list[str] | None = None, thread: int | None = None, cta: tuple[int, int] | None = None) "
              "-> Overview | Route | RegisterReport | TileMap | Explanation | TensorList"),
      "Asks one question about the kernel, as `tileloom trace` does.\n\n"
      "Without a question: an `Overview`, every layout of every stage.\n"
      "element: a `Route`, the way of one element, \"A:0,9\" or (\"A\", 0, 9), of a later k-tile (\"A\", 0, 9, 2).\n"
      "register, lane, warp (0), k_tile (0): a `RegisterReport`, the elements in a register such as \"a2\".\n"
      "map: a `TileMap`, where the thread's elements of \"A\", \"B\" or \"D\" lie on the tile.\n"
      "tensor: a `TensorList`, only these tensors, such as \"tCsA\".\n"
      "explain: an `Explanation`, how to read each layout.\n"
      "thread: whose layouts (0); in an overview its elements too. cta: the tile (m, n) of the output, (0, 0).");
}

}  // namespace tileloom::python
