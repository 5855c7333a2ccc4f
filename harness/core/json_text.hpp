// JSON is written as text whatever bytes a name or a reason from elsewhere has. This header is for those who link nlohmann-json: core
// itself does not.
#pragma once
#include <nlohmann/json.hpp>
#include <string>

namespace plumbline {

/// Prints a nlohmann::json or an ordered_json, which keeps its order. Bytes that are no UTF-8 are replaced: a reason in Latin-1 must not
/// cost a document or a record.
template <class Json>
std::string json_text(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// Whether JSON and HDF5 take the text as it is.
inline bool is_utf8(const std::string& text) {
  try {
    static_cast<void>(nlohmann::json(text).dump());
    return true;
  } catch (const nlohmann::json::exception&) {
    return false;
  }
}

}  // namespace plumbline
