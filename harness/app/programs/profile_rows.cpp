#include "app/programs/profile_rows.hpp"

#include <set>

#include "app/programs/profile_document.hpp"
#include "app/programs/reuse_json.hpp"
#include "core/json_text.hpp"
#include "profile/profile.hpp"
#include "store/schema.hpp"

namespace plumbline::app {
namespace {

void take(const Json& value, std::string& text) {
  if (value.is_string()) text = value.get<std::string>();
  if (value.is_object()) text = json_text(value);
}
void take(const Json& value, double& number) {
  if (value.is_number()) number = value.get<double>();
}
void take(const Json& value, std::int64_t& number) {
  if (value.is_number_integer()) number = value.get<std::int64_t>();
}
void take(const Json& value, Status& status) {
  if (value.is_string()) status = status_from(value.get_ref<const std::string&>()).value_or(Status::failed);
}

/// A text of a file that should be an object; an empty one where it is none.
Json object_in(const std::string& text) {
  Json object = Json::parse(text, nullptr, false);
  return object.is_object() ? object : Json::object();
}

bool is_a_count(const Json& value) { return value.is_number_unsigned() || (value.is_number_integer() && value.get<std::int64_t>() >= 0); }

Column<ProfileRow> levels_of_row() {
  return {"levels", "by level of memory the traffic across its boundary towards the core", by_name(row_schema(level_columns())),
          [](const ProfileRow& row) { return object_in(row.levels); }};
}

Column<ProfileRow> reuse_of_row() {
  return {"reuse", "how often lines of memory came back after how many others; null where that was not counted", nullable(reuse_schema()),
          [](const ProfileRow& row) { return reuse_json(reuse_in(row.reuse)); }};
}

Column<ProfileRow> counts_of_row() { return {"counts", "by event how often it was counted", counts_of}; }

}  // namespace

std::vector<ProfileRow> profile_rows(const Json& document_rows, std::span<const CaseRow> cases) {
  std::set<std::string> ids;
  for (const auto& row : cases) ids.insert(row.id);
  std::vector<ProfileRow> rows;
  for (const auto& given : document_rows) {
    ProfileRow& row = rows.emplace_back();
    for (const auto& column : table_of<ProfileRow>().columns)
      if (const auto found = given.find(std::string(column.name)); found != given.end())
        std::visit(
            [&](auto member) {
              if constexpr (requires { take(*found, row.*member); }) take(*found, row.*member);
            },
            column.member);
    if (!ids.contains(row.case_id)) row.case_id.clear();
  }
  return rows;
}

Columns<ProfileRow> profile_row_columns() {
  Columns<ProfileRow> columns;
  for (const auto& column : table_of<ProfileRow>().columns) {
    const std::string key(column.name), meaning(column.long_name);
    if (key == "levels" || key == "counts" || key == "reuse") {
      columns.push_back(key == "levels" ? levels_of_row() : key == "counts" ? counts_of_row() : reuse_of_row());
      continue;
    }
    std::visit(
        [&]<class T>(T ProfileRow::*member) {
          if constexpr (std::is_same_v<T, std::string>)
            columns.push_back({key, meaning, [member](const ProfileRow& row) { return OrNull{row.*member}; }});
          else if constexpr (std::is_same_v<T, std::int64_t>)
            columns.push_back({key, meaning, [member](const ProfileRow& row) {
                                 return row.*member < 0 ? std::optional<std::int64_t>() : std::optional(row.*member);
                               }});
          else if constexpr (std::is_same_v<T, double> || std::is_same_v<T, Status>)
            columns.push_back({key, meaning, member});
        },
        column.member);
  }
  return columns;
}

EventSums counts_of(const ProfileRow& row) {
  EventSums counts;
  const Json counted = object_in(row.counts);
  for (const auto& [event, count] : counted.items())
    if (is_a_count(count) || count.is_null()) counts[event] = is_a_count(count) ? std::optional(count.get<std::uint64_t>()) : std::nullopt;
  return counts;
}

std::optional<PartReuse> part_reuse_of(const ProfileRow& row, double of_all) {
  auto distances = reuse_in(row.reuse);
  if (!distances) return std::nullopt;
  PartReuse part{.distances = std::move(*distances), .threads = row.cores > 1 ? row.cores : 1};
  scale(part.distances, of_all);
  part.past_bytes = of_all * event(counts_of(row), "bytes.reg-L1.nt_store").value_or(0);
  return part;
}

double level_bytes(const ProfileRow& row, const std::string& level) {
  const Json levels = object_in(row.levels);
  const auto found = levels.find(level);
  if (found == levels.end() || !found->is_object()) return absent;
  const auto bytes = found->find("bytes");
  return bytes != found->end() && bytes->is_number() ? bytes->get<double>() : absent;
}

}  // namespace plumbline::app
