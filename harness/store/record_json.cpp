#include "store/record_json.hpp"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <span>

#include "core/json_text.hpp"
#include "core/text/whole_number.hpp"
#include "store/read_row.hpp"
#include "store/schema.hpp"

namespace plumbline {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view journal_schema = "plumbline-journal/1";

// JSON knows no NaN and no infinity: null and words stand for them.
Json encode(double value) {
  if (std::isnan(value)) return nullptr;
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value;
}
Json encode(Status value) { return std::string(to_string(value)); }
Json encode(const CeilingLevel& value) { return value.word(); }
template <class T>
Json encode(const T& value) {
  return value;
}

void decode(const Json& json, double& value) {
  if (json.is_null())
    value = absent;
  else if (json.is_string())
    value = json.get_ref<const std::string&>() == "inf" ? HUGE_VAL : -HUGE_VAL;
  else
    value = json.get<double>();
}
void decode(const Json& json, Status& value) {
  const auto status = status_from(json.get_ref<const std::string&>());
  if (!status) throw std::invalid_argument("unknown status '" + json.get<std::string>() + "'");
  value = *status;
}
/// Texts that are JSON again are copied and printed by whoever reads them.
void decode(const Json& json, std::string& value) {
  json.get_to(value);
  if (nests_deeply(value)) throw std::invalid_argument("a document in it is nested too deeply");
}
void decode(const Json& json, CeilingLevel& value) { value = json.get<std::string>(); }
template <class Integer>
void decode(const Json& json, Integer& value) {
  value = whole_number<Integer>(json);
}

template <class T>
bool same_bits(const T& left, const T& right) {
  if constexpr (std::is_same_v<T, double>)
    return std::bit_cast<std::uint64_t>(left) == std::bit_cast<std::uint64_t>(right);
  else
    return left == right;
}

const Json* find(const Json& object, std::string_view key) {
  const auto found = object.find(key);
  return found == object.end() ? nullptr : &*found;
}

/// A table as JSON is {"rows":n, "COLUMN":value that all rows share, "COLUMN":[one value a row], ...}; without the columns in which all
/// rows say what the record's outcome says (its case, node, session, status).
template <class Row>
Json encode_rows(std::span<const Row> rows, const Json& outcome = Json::object()) {
  Json table = {{"rows", rows.size()}};
  if (rows.empty()) return table;
  for (const auto& column : table_of<Row>().columns) {
    std::visit(
        [&](auto member) {
          bool shared = true;
          for (const Row& row : rows) shared = shared && same_bits(row.*member, rows.front().*member);
          Json cell = shared ? encode(rows.front().*member) : Json::array();
          if (!shared)
            for (const Row& row : rows) cell.push_back(encode(row.*member));
          const Json* known = find(outcome, column.name);
          if (known == nullptr || *known != cell) table[std::string(column.name)] = std::move(cell);
        },
        column.member);
  }
  return table;
}

/// Takes from `room`, in bytes, what so many rows of these columns take in memory: what all rows share is told once, so that a record of a
/// stranger's could ask for any amount.
template <class Row>
void take_room(std::size_t count, const Json& json, const Json& outcome, std::uint64_t& room) {
  std::uint64_t row = sizeof(Row);
  for (const auto& column : table_of<Row>().columns) {
    const Json* cell = find(json, column.name);
    if (cell == nullptr) cell = find(outcome, column.name);
    if (cell != nullptr && cell->is_string()) row += cell->get_ref<const std::string&>().size();
  }
  if (count > room / row) throw std::invalid_argument(fmt::format("{} rows in '{}', in so few bytes", count, table_of<Row>().name));
  room -= count * row;
}

template <class Row>
std::vector<Row> decode_rows(const Json& json, std::uint64_t& room, const Json& outcome = Json::object()) {
  const auto count = whole_number<std::size_t>(json.at("rows"));
  take_room<Row>(count, json, outcome, room);
  std::vector<Row> rows(count);
  if (rows.empty()) return rows;
  for (const auto& column : table_of<Row>().columns) {
    const Json* cell = find(json, column.name);
    if (cell == nullptr) cell = find(outcome, column.name);
    if (cell == nullptr) {
      if (column.since == Since::extension) continue;
      throw std::invalid_argument(fmt::format("no column '{}' in '{}'", column.name, table_of<Row>().name));
    }
    if (cell->is_array() && cell->size() != rows.size()) throw std::invalid_argument(fmt::format("uneven column '{}'", column.name));
    std::visit(
        [&](auto member) {
          for (std::size_t i = 0; i < rows.size(); ++i) decode(cell->is_array() ? (*cell)[i] : *cell, rows[i].*member);
        },
        column.member);
  }
  for (Row& row : rows) understand(row);
  return rows;
}

template <class Row>
Row decode_row(const Json& json, std::uint64_t& room) {
  auto rows = decode_rows<Row>(json, room);
  if (rows.size() != 1) throw std::invalid_argument(fmt::format("not one row in '{}'", table_of<Row>().name));
  return std::move(rows.front());
}

JournalHeader decode_header(const Json& json, std::uint64_t& room) {
  JournalHeader header;
  json.at("campaign").get_to(header.campaign);
  decode(json.at("provenance"), header.provenance);
  json.at("session").get_to(header.session);
  decode(json.at("started_unix_ns"), header.started_unix_ns);
  header.machines = decode_rows<MachineRow>(json.at("machine"), room);
  return header;
}

/// Visits the tables that a record may hold.
template <class AnyFinished, class Visit>
void for_each_list(AnyFinished& finished, Visit visit) {
  visit("times", finished.times);
  visit("counts", finished.counts);
  visit("model", finished.model);
  visit("ceilings", finished.ceilings);
  visit("remeasured", finished.remeasured);
}

Finished decode_finished(const Json& json, std::uint64_t& room) {
  const Json& outcome = json.at("outcome");
  Finished finished;
  finished.case_row = decode_row<CaseRow>(json.at("finished"), room);
  finished.outcome = decode_row<OutcomeRow>(outcome, room);
  for_each_list(finished, [&]<class Row>(const char* name, std::vector<Row>& rows) {
    if (const Json* table = find(json, name)) rows = decode_rows<Row>(*table, room, outcome);
  });
  return finished;
}

}  // namespace

std::string to_payload(const JournalHeader& header) {
  return json_text(Json{{"schema", journal_schema},
                        {"session", header.session},
                        {"started_unix_ns", header.started_unix_ns},
                        {"campaign", header.campaign},
                        {"provenance", header.provenance},
                        {"machine", encode_rows<MachineRow>(header.machines)}});
}

std::string to_payload(const Finished& finished) {
  Json json = {{"finished", encode_rows<CaseRow>({&finished.case_row, 1})}, {"outcome", encode_rows<OutcomeRow>({&finished.outcome, 1})}};
  for_each_list(finished, [&]<class Row>(const char* name, const std::vector<Row>& rows) {
    if (!rows.empty()) json[name] = encode_rows<Row>(rows, json["outcome"]);
  });
  return json_text(json);
}

std::optional<std::variant<JournalHeader, Finished>> from_payload(std::string_view payload, std::string& why) {
  try {
    if (nests_deeply(payload)) throw std::invalid_argument("it is nested too deeply");
    constexpr std::uint64_t least_room = 1U << 16, room_a_byte = 200;  // ten times what our records take
    std::uint64_t room = least_room + room_a_byte * payload.size();
    const Json json = Json::parse(payload);
    if (json.contains("finished")) return decode_finished(json, room);
    const auto schema = json.at("schema").get<std::string>();
    if (schema == journal_schema) return decode_header(json, room);
    why = fmt::format("its schema is '{}' and this plumbline reads '{}'", schema, journal_schema);
  } catch (const std::exception& error) {
    why = error.what();
  }
  return std::nullopt;
}

}  // namespace plumbline
