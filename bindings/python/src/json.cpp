// SPDX-License-Identifier: Apache-2.0
#include "json.hpp"

#include <string>

namespace tileloom::python {

namespace nb = nanobind;
using Json = nlohmann::ordered_json;

namespace {

// Text that is not UTF-8, such as a file's name, is shown with replacement characters, as the command line does.
nb::object text(const std::string& bytes) {
  return nb::steal(PyUnicode_DecodeUTF8(bytes.data(), static_cast<Py_ssize_t>(bytes.size()), "replace"));
}

}  // namespace

nb::object to_python(const Json& json) {
  switch (json.type()) {
    case Json::value_t::object: {
      nb::dict made;
      for (const auto& [key, value] : json.items()) {
        made[text(key)] = to_python(value);
      }
      return made;
    }
    case Json::value_t::array: {
      nb::list made;
      for (const Json& value : json) {
        made.append(to_python(value));
      }
      return made;
    }
    case Json::value_t::string:
      return text(json.get_ref<const std::string&>());
    case Json::value_t::boolean:
      return nb::bool_(json.get<bool>());
    case Json::value_t::number_integer:
      return nb::int_(json.get<std::int64_t>());
    case Json::value_t::number_unsigned:
      return nb::int_(json.get<std::uint64_t>());
    case Json::value_t::number_float:
      return nb::float_(json.get<double>());
    default:
      return nb::none();
  }
}

}  // namespace tileloom::python
