#include "app/programs/profile_document.hpp"

#include <cmath>

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

std::string share_or_dash(std::optional<double> part, std::optional<double> whole) {
  return part && whole && *whole > 0 ? percent_or_dash(*part / *whole) : "-";
}

Count whole(std::optional<double> value) { return value ? Count(static_cast<std::uint64_t>(std::llround(*value))) : std::nullopt; }

std::string shortened(const std::string& name) {
  constexpr std::size_t widest = 40, longest_offset = 18;
  if (name.size() <= widest) return name;
  const auto plus = name.rfind("+0x");
  const std::string offset = plus != name.npos && name.size() - plus <= longest_offset ? name.substr(plus) : "";
  return name.substr(0, widest - 3 - offset.size()) + "..." + offset;
}

Columns<LevelBytes> level_columns() {
  return {{"boundary", "name of the boundary, as reg-L1", &LevelBytes::boundary},
          {"bytes", "bytes across the boundary", &LevelBytes::bytes},
          {"ai", "arithmetic intensity, FLOPs per byte", &LevelBytes::intensity}};
}

std::string profile_document(const std::string& file, const Json& rows, const std::vector<std::string>& notes,
                             const std::vector<std::string>& command, const std::string& caches) {
  return document("profile", file, rows, notes, row_json(members(), {command, caches}));
}

Json profile_document_schema(const Json& kinds) {
  return document_schema("profile", "What a program did", {{"anyOf", kinds}}, row_schema(members()));
}

}  // namespace plumbline::app
