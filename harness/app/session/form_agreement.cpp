#include "app/session/form_agreement.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

namespace plumbline::app {
namespace {

using nlohmann::json;

json number_or_null(double value) { return std::isfinite(value) ? json(value) : json(); }
double number_from(const json& told) { return told.is_null() ? absent : told.get<double>(); }

json to_json(const FormContest& contest) {
  json candidates = json::array();
  for (const auto& one : contest.candidates) candidates.push_back({one.form, number_or_null(one.rate)});
  return {contest.name,
          contest.precision,
          contest.pattern,
          contest.unit,
          contest.ranks,
          contest.threads,
          number_or_null(contest.working_set_bytes),
          candidates};
}

FormContest contest_from(const json& told, const std::string& node, const std::string& session) {
  FormContest contest{node, session, told[0], told[1], told[2], told[3], told[4], told[5], number_from(told[6]), {}};
  for (const json& one : told[7]) contest.candidates.push_back({one[0], number_from(one[1])});
  return contest;
}

/// The choices of all kinds of nodes that are here; made on rank 0.
json choices_of(const std::vector<std::string>& texts, const RunRecord& record) {
  std::map<std::string, std::string> kinds = record.kinds();
  std::set<std::string> present;
  std::vector<FormContest> contests = record.contests();
  for (const auto& text : texts) {
    const json node = json::parse(text);
    kinds[node["node"]] = node["kind"];
    present.insert(node["kind"].get<std::string>());
    for (const json& one : node["contests"]) contests.push_back(contest_from(one, node["node"], node["session"]));
  }
  json chosen = json::object();
  for (const auto& one : agreed_forms(contests, kinds))
    if (present.contains(one.node))
      chosen[one.node].push_back({one.name, one.precision, one.ranks, one.threads, number_or_null(one.working_set_bytes), one.form});
  return chosen;
}

}  // namespace

std::vector<ChosenForm> agree_on_forms(std::span<const CeilingRow> measured, const std::string& kind, const RunRecord& record,
                                       Communicator& ranks) {
  Group& leaders = ranks.leaders();
  if (!leaders.member()) return {};
  json mine{
      {"node", ranks.host()}, {"kind", kind}, {"session", measured.empty() ? "" : measured.front().session}, {"contests", json::array()}};
  for (const auto& contest : contests_of(measured)) mine["contests"].push_back(to_json(contest));
  const auto texts = leaders.gather(mine.dump());
  const json told = json::parse(leaders.broadcast(leaders.rank() == 0 ? choices_of(texts, record).dump() : ""));
  std::vector<ChosenForm> chosen;
  if (told.contains(kind))
    for (const json& one : told[kind]) chosen.push_back({kind, one[0], one[1], one[2], one[3], number_from(one[4]), one[5], true});
  return chosen;
}

}  // namespace plumbline::app
