#include "app/programs/profile_document.hpp"

namespace plumbline::app {
namespace {

struct Besides {
  std::vector<std::string> command;
  std::string caches;
};

Columns<Besides> members() {
  return {{"command", "the program and its arguments", &Besides::command},
          {"caches", "the caches that were simulated, in words", [](const Besides& row) { return OrNull{row.caches}; }}};
}

}  // namespace

std::string plain_or_dash(std::optional<double> value) { return value ? plain(*value) : "-"; }

std::string size_or_dash(std::optional<double> value) { return value ? size_in_bytes(*value) : "-"; }

Columns<LevelBytes> level_columns() {
  return {{"boundary", "name of the boundary", &LevelBytes::boundary},
          {"bytes", "bytes across it", &LevelBytes::bytes},
          {"ai", "FLOPs per byte", &LevelBytes::intensity}};
}

std::string profile_document(const std::string& file, const Json& rows, const std::vector<std::string>& notes,
                             const std::vector<std::string>& command, const std::string& caches) {
  return document("profile", file, rows, notes, row_json(members(), {command, caches}));
}

Json profile_document_schema(const Json& kinds) {
  return document_schema("profile", "What a program did", {{"anyOf", kinds}}, row_schema(members()));
}

}  // namespace plumbline::app
