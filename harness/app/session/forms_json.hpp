// Contests between loops, and what they decided, as ranks and nodes tell each other of them.
#pragma once
#include <nlohmann/json_fwd.hpp>

#include "model/ceilings/form_choice.hpp"

namespace plumbline {

/// Rows without names, as there may be many; null: absent.
void to_json(nlohmann::json& told, const FormRate& rate);
void from_json(const nlohmann::json& told, FormRate& rate);
void to_json(nlohmann::json& told, const FormContest& contest);
void from_json(const nlohmann::json& told, FormContest& contest);
void to_json(nlohmann::json& told, const ChosenForm& chosen);
void from_json(const nlohmann::json& told, ChosenForm& chosen);

}  // namespace plumbline
