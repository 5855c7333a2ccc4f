#include "app/results/projection_record_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/here/paths.hpp"
#include "app/terminal/columns.hpp"
#include "app/terminal/output_file.hpp"
#include "store/file_bytes.hpp"

namespace plumbline::app {
namespace {

constexpr const char* record_word = "plumbline-record/2";
/// A projection is off by some percent, or by orders of magnitude where its input is wrong; a logarithm beyond this is none.
constexpr double most_of_error_kept = 20;

std::map<std::string, double> errors_by_name(const RecordRow& row) {
  std::map<std::string, double> errors;
  for (std::size_t i = 0; i < method_count; ++i) errors[std::string(to_string(static_cast<Method>(i)))] = row.log_error[i];
  return errors;
}

const Columns<RecordRow>& record_columns() {
  using Row = RecordRow;
  static const Columns<Row> columns{{"part", "case or program", &Row::part},
                                    {"kernel", "what is left out when the part is judged", &Row::kernel},
                                    {"from", "side that it was timed on", &Row::from},
                                    {"to", "side that it was projected to", &Row::to},
                                    {"from_machine", "CPU model there: vendor, family and model", &Row::from_machine},
                                    {"to_machine", "CPU model here", &Row::to_machine},
                                    {"kind", "how the sides are unlike", &Row::kind},
                                    {"bound_class", "that, and what binds on either side", &Row::bound_class},
                                    {"scale", "how far it was expected to err: a part of 1", &Row::scale},
                                    {"log_error", "natural logarithm of projected over measured, by method", errors_by_name}};
  return columns;
}

Json overlap_json(const Overlaps& overlaps) {
  Json all = Json::object();
  for (const auto& [kind, one] : overlaps) all[kind] = {{"exponent", one.exponent}, {"issue_part", one.issue_part}};
  return all;
}

double number_in(const Json& json) { return json.is_number() ? json.get<double>() : absent; }

RecordRow row_in(const Json& json) {
  RecordRow row;
  for (const auto& [key, value] : {std::pair{"part", &row.part},
                                   {"kernel", &row.kernel},
                                   {"from", &row.from},
                                   {"to", &row.to},
                                   {"from_machine", &row.from_machine},
                                   {"to_machine", &row.to_machine},
                                   {"kind", &row.kind},
                                   {"bound_class", &row.bound_class}})
    *value = json.at(key).get<std::string>();
  row.scale = number_in(json.at("scale"));
  for (std::size_t i = 0; i < method_count; ++i)
    row.log_error[i] = number_in(json.at("log_error").at(std::string(to_string(static_cast<Method>(i)))));
  return row;
}

}  // namespace

ProjectionRecord read_record(const std::filesystem::path& path, bool may_be_new) {
  ProjectionRecord record;
  if (may_be_new && !std::filesystem::exists(path)) return record;
  const std::string text = read_bytes(path, "record of projections");
  try {
    const Json json = Json::parse(text);
    if (json.at("schema") != record_word) throw user_error(fmt::format("{}: its schema is not {}", path.string(), record_word));
    for (const auto& [kind, one] : json.at("overlaps").items())
      record.overlaps[kind] = {.exponent = one.at("exponent"), .issue_part = one.at("issue_part")};
    for (const auto& row : json.at("rows")) {
      record.rows.push_back(row_in(row));
      for (const double error : record.rows.back().log_error)
        if (std::abs(error) > most_of_error_kept)
          throw user_error(
              fmt::format("{}: a log_error of '{}' is {:g}, a projection {:.0e} times off: a log_error is a natural logarithm, "
                          "{} at most; remove the row",
                          path.string(), record.rows.back().part, error, std::exp(std::min(std::abs(error), 500.0)), most_of_error_kept));
    }
  } catch (const Json::exception&) {
    throw user_error(fmt::format("{} is no record of projections ({}); 'plumbline project FILE --matrix --record NEW.json' writes one",
                                 path.string(), record_word));
  }
  return record;
}

void extend(ProjectionRecord& record, const std::vector<RecordRow>& rows) {
  const auto key = [](const RecordRow& row) { return std::tie(row.part, row.from, row.to, row.from_machine, row.to_machine); };
  for (const auto& row : rows) {
    const auto known = std::ranges::find_if(record.rows, [&](const RecordRow& other) { return key(other) == key(row); });
    if (known == record.rows.end())
      record.rows.push_back(row);
    else
      *known = row;
  }
}

void write_record(const std::filesystem::path& path, const ProjectionRecord& record) {
  std::string text = fmt::format("{{\"schema\":\"{}\",\"overlaps\":{},\"rows\":[", record_word, overlap_json(record.overlaps).dump());
  for (std::size_t i = 0; i < record.rows.size(); ++i) text += (i == 0 ? "\n" : ",\n") + row_json(record_columns(), record.rows[i]).dump();
  write_output(path, text + "\n]}\n");
}

ProjectionRecord shared_record() {
  const auto folder = find_shared("jobs/records");
  return folder.empty() ? ProjectionRecord{} : read_record(folder / "projection.json", true);
}

Json record_schema() {
  const Json overlap{{"type", "object"},
                     {"properties", {{"exponent", {{"type", "number"}}}, {"issue_part", {{"type", "number"}}}}},
                     {"required", {"exponent", "issue_part"}},
                     {"additionalProperties", false}};
  return {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
          {"title", "record"},
          {"description", "The record of projections whose truth became known"},
          {"type", "object"},
          {"properties",
           {{"schema", {{"const", record_word}}},
            {"overlaps", by_name(overlap)},
            {"rows", {{"type", "array"}, {"items", row_schema(record_columns())}}}}},
          {"required", {"schema", "overlaps", "rows"}},
          {"additionalProperties", false}};
}

}  // namespace plumbline::app
