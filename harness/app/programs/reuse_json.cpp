#include "app/programs/reuse_json.hpp"

#include <charconv>
#include <cmath>
#include <limits>

namespace plumbline::app {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();

/// Whole numbers are shorter than what a double may need.
Json whole_or_null(double value) { return std::isfinite(value) ? Json(std::llround(value)) : Json(); }

Json bucket_json(const ReuseBucket& one) {
  Json row = Json::array();
  for (const double value : {one.lines_from, one.lines_to, one.read, one.write, one.written_from, one.written_to})
    row.push_back(whole_or_null(value));
  return row;
}

ReuseBucket bucket_of(const Json& row) {
  const auto lines = [](const Json& value) { return value.is_null() ? never : value.get<double>(); };
  return {lines(row.at(0)),        lines(row.at(1)),        row.at(2).get<double>(),
          row.at(3).get<double>(), row.at(4).get<double>(), row.at(5).get<double>()};
}

}  // namespace

Json reuse_json(const std::optional<ReuseDistances>& distances) {
  if (!distances || !(distances->line_bytes > 0)) return {};
  Json buckets = Json::array(), crowding = Json::object();
  for (const auto& one : distances->buckets) buckets.push_back(bucket_json(one));
  for (const auto& [sets, squares] : distances->crowding) crowding[std::to_string(sets)] = whole_or_null(squares);
  return {{"line_bytes", whole_or_null(distances->line_bytes)}, {"buckets", buckets}, {"crowding", crowding}};
}

Json reuse_schema() {
  const Json number_or_null{{"type", Json::array({"number", "null"})}};
  return {{"type", "object"},
          {"properties",
           {{"line_bytes", {{"type", "number"}, {"description", "bytes of a line"}}},
            {"buckets",
             {{"type", "array"},
              {"items", {{"type", "array"}, {"items", number_or_null}, {"minItems", 6}, {"maxItems", 6}}},
              {"description",
               "by distance in lines, from and to before: lines fetched by loads, by stores; written back from caches of more lines than "
               "that, but not from those of more than the distance of the last; null, null: never used before"}}},
            {"crowding",
             {{"type", "object"},
              {"additionalProperties", number_or_null},
              {"description", "by number of sets, how unevenly lines fall into them"}}}}},
          {"required", Json::array({"line_bytes", "buckets", "crowding"})}};
}

std::optional<ReuseDistances> reuse_in(const std::string& text) try {
  const Json object = Json::parse(text);
  ReuseDistances distances{.line_bytes = object.at("line_bytes").get<double>()};
  for (const Json& row : object.at("buckets")) distances.buckets.push_back(bucket_of(row));
  for (const auto& [sets, squares] : object.at("crowding").items()) {
    unsigned number = 0;
    std::from_chars(sets.data(), sets.data() + sets.size(), number);
    distances.crowding[number] = squares.get<double>();
  }
  if (!(distances.line_bytes > 0)) return std::nullopt;
  return distances;
} catch (const nlohmann::json::exception&) {
  return std::nullopt;
}

}  // namespace plumbline::app
