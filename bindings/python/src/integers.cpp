// SPDX-License-Identifier: Apache-2.0
#include "integers.hpp"

#include <nanobind/stl/string.h>

#include <limits>

#include "tileloom/error.hpp"

namespace tileloom::python {

namespace nb = nanobind;

namespace {

[[noreturn]] void refuse(const std::string& name, const std::string& expected, nb::handle found) {
  throw Error(ErrorKind::bad_input,
              name + ": expected " + expected + ", found " + nb::cast<std::string>(nb::repr(found)));
}

}  // namespace

std::optional<std::int64_t> as_int64(nb::handle value) {
  const nb::object index = nb::steal(PyNumber_Index(value.ptr()));
  if (!index.is_valid()) {
    nb::raise_python_error();
  }
  int overflow = 0;
  const long long number = PyLong_AsLongLongAndOverflow(index.ptr(), &overflow);
  return overflow == 0 ? std::optional<std::int64_t>(number) : std::nullopt;
}

std::int64_t integer_argument(const std::string& name, nb::handle value) {
  if (PyIndex_Check(value.ptr()) == 0) {
    refuse(name, "an integer", value);
  }
  const std::optional<std::int64_t> number = as_int64(value);
  if (!number) {
    refuse(name, "an integer of at most 64 bits", value);
  }
  return *number;
}

int int_argument(const std::string& name, nb::handle value) {
  const std::int64_t number = integer_argument(name, value);
  if (number < std::numeric_limits<int>::min() || number > std::numeric_limits<int>::max()) {
    refuse(name, "an integer of at most 32 bits", value);
  }
  return static_cast<int>(number);
}

std::map<std::string, std::int64_t> integers_argument(const std::string& name, nb::handle values) {
  if (!nb::hasattr(values, "items")) {
    refuse(name, "a dict of integers by name", values);
  }
  std::map<std::string, std::int64_t> integers;
  for (const nb::handle item : values.attr("items")()) {
    const nb::object key = item[0];
    if (!nb::isinstance<nb::str>(key)) {
      refuse(name, "names as keys", key);
    }
    const auto symbol = nb::cast<std::string>(key);
    integers[symbol] = integer_argument(name + ": " + symbol, nb::object(item[1]));
  }
  return integers;
}

}  // namespace tileloom::python
