#include "app/session/forms_json.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

namespace plumbline {
namespace {

using nlohmann::json;

json number_or_null(double value) { return std::isfinite(value) ? json(value) : json(); }
double number_from(const json& told) { return told.is_null() ? absent : told.get<double>(); }

}  // namespace

void to_json(json& told, const FormRate& rate) { told = json::array({rate.form, number_or_null(rate.rate)}); }

void from_json(const json& told, FormRate& rate) { rate = {told[0], number_from(told[1])}; }

void to_json(json& told, const FormContest& contest) {
  told = json::array({contest.node, contest.session, contest.name, contest.precision, contest.pattern, contest.unit, contest.ranks,
                      contest.threads, number_or_null(contest.working_set_bytes), contest.candidates});
}

void from_json(const json& told, FormContest& contest) {
  contest = {told[0], told[1], told[2], told[3], told[4], told[5], told[6], told[7], number_from(told[8]), told[9]};
}

void to_json(json& told, const ChosenForm& chosen) {
  told = json::array({chosen.node, chosen.name, chosen.precision, chosen.ranks, chosen.threads, number_or_null(chosen.working_set_bytes),
                      chosen.form, chosen.complete});
}

void from_json(const json& told, ChosenForm& chosen) {
  chosen = {told[0], told[1], told[2], told[3], told[4], number_from(told[5]), told[6], told[7]};
}

}  // namespace plumbline
