// JSON as text, whatever bytes a name or a reason of elsewhere has. For who links nlohmann-json: core itself does not.
#pragma once
#include <nlohmann/json.hpp>
#include <string>

namespace plumbline {

/// Of nlohmann::json or ordered_json, which keeps its order. What is no UTF-8 is replaced: a reason in Latin-1 must not cost a document or
/// a record.
template <class Json>
std::string json_text(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// What JSON and HDF5 take as text.
inline bool is_utf8(const std::string& text) {
  try {
    static_cast<void>(nlohmann::json(text).dump());
    return true;
  } catch (const nlohmann::json::exception&) {
    return false;
  }
}

}  // namespace plumbline
