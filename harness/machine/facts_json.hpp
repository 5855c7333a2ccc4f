// Facts are written as a JSON object: {"NAME": value or null, ..., "absent": {"NAME": "why"}}.
#pragma once
#include <nlohmann/json.hpp>

#include "machine/fact.hpp"

namespace plumbline {

inline void add_fact(nlohmann::ordered_json& object, const Fact& fact) {
  if (!fact.value) {
    object[fact.name] = nullptr;
    object["absent"][fact.name] = fact.reason;
  } else if (fact.number && fact.value->find_first_of(".e") != std::string::npos) {
    object[fact.name] = std::stod(*fact.value);
  } else if (fact.number) {
    object[fact.name] = std::stoll(*fact.value);
  } else {
    object[fact.name] = *fact.value;
  }
}

inline nlohmann::ordered_json facts_json(const Facts& facts) {
  auto object = nlohmann::ordered_json::object();
  for (const auto& fact : facts) add_fact(object, fact);
  return object;
}

}  // namespace plumbline
