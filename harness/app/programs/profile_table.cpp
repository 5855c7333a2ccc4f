#include "app/programs/profile_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "app/terminal/shell_words.hpp"

namespace plumbline::app {
namespace {

// ---------------------------------------------------------------------------------------------------- tables for people

std::string profile_head(const ProfileResult& result) {
  const auto plural = [](auto n, const char* what) {
    return fmt::format("{} {}{}", n, what, n == 1 ? "" : what[std::char_traits<char>::length(what) - 1] == 's' ? "es" : "s");
  };
  std::string text = "Counted: " + command_line(result.command) + "\n  ";
  if (result.launched > 1) text += plural(result.launched, "rank") + ", ";
  text += plural(result.profile.processes, "process") + ", " + plural(result.profile.threads, "thread") + "\n";
  text += result.caches.empty() ? "  no caches simulated\n" : "  simulated caches: " + result.caches + "\n";
  return text;
}

std::string totals_text(const EventSums& total) {
  Table table({{"in total", Align::left}, {"count"}});
  constexpr std::pair<const char*, const char*> rows[] = {{"instructions", "instructions"},
                                                          {"  floating-point", "fp_instructions"},
                                                          {"  branches", "branches"},
                                                          {"loads", "loads"},
                                                          {"stores", "stores"}};
  for (const auto& [what, name] : rows) table.add({what, whole_text(event(total, name))});
  table.add({"FLOPs", whole_text(flops(total))});
  return table.text();
}

std::string flops_text(const EventSums& total) {
  Table table({{"precision", Align::left}, {"FLOPs (fma = 2)"}, {"add"}, {"mul"}, {"fma"}, {"div"}, {"sqrt"}});
  for (const auto& precision : precisions(total)) {
    if (flops(total, precision).value_or(0) == 0) continue;
    std::vector<std::string> cells{precision, whole_text(flops(total, precision))};
    for (const char* kind : {"add", "mul", "fma", "div", "sqrt"})
      cells.push_back(whole_text(event(total, "flops." + precision + "." + kind)));
    table.add(std::move(cells));
  }
  return table.empty() ? "no floating-point arithmetic\n" : table.text();
}

std::string traffic_text(const EventSums& total) {
  Table table({{"boundary", Align::left}, {"bytes"}, {"read"}, {"rfo"}, {"written"}, {"nt store"}, {"FLOPs/byte"}, {"level", Align::left}});
  for (const auto& level : levels) {
    const std::string boundary = std::string("bytes.") + level.boundary + ".";
    const bool core = std::string_view(level.boundary) == "reg-L1";
    const auto flow = [&](const char* name) { return size_or_dash(event(total, boundary + name)); };
    table.add({level.boundary, size_or_dash(bytes(total, level.boundary)), flow(core ? "load" : "demand_read"), core ? "" : flow("rfo"),
               flow(core ? "store" : "write_back"), flow("nt_store"), plain_or_dash(arithmetic_intensity(total, level.boundary)),
               level.name});
  }
  return table.text();
}

// ------------------------------------------------------------------------------------------------------- tables of rows

std::string ranks_text(const ProfileResult& result) {
  const char* far = farthest_boundary(result.profile.total);
  const auto ranks = ended_ranks(result);
  Table table = first_rows(rank_columns(far), ranks, most_ranks_shown, "ranks", "FILE.json");
  const auto extreme = [&](const char* name, auto pick) {
    const auto over = [&](auto measure) -> Number {
      Number found;
      for (const auto& one : ranks)
        if (const Number value = measure(one.counts)) found = found ? pick(*found, *value) : *value;
      return found;
    };
    table.add({name, "", "", whole_text(over([](const auto& c) { return event(c, "instructions"); })),
               whole_text(over([](const auto& c) { return flops(c); })), size_or_dash(over([&](const auto& c) { return bytes(c, far); })),
               "", ""});
  };
  extreme("min", [](double a, double b) { return std::min(a, b); });
  extreme("max", [](double a, double b) { return std::max(a, b); });
  return table.text();
}

std::string functions_text(const Profile& profile, std::size_t most, const std::string& by, Number (*measure)(const EventSums&)) {
  std::vector<FunctionCounts> chosen;
  for (const std::size_t i : largest(profile.functions, most, measure)) chosen.push_back(profile.functions[i]);
  const std::string table = aligned(function_columns(profile, by, measure), chosen);
  return table.empty() ? "" : "\n" + table;
}

// ------------------------------------------------------------------------------------------------------ rows for programs

template <class Row, class Rows>
void add_rows(const Columns<Row>& columns, const Rows& rows, Json& all) {
  for (const Row& row : rows) all.push_back(row_json(columns, row));
}

std::vector<FunctionCounts> largest_functions(const ProfileResult& result) {
  const auto& functions = result.profile.functions;
  auto chosen = largest(functions, result.functions, flops_of);
  for (const std::size_t i : largest(functions, result.functions, far_bytes_of))
    if (std::find(chosen.begin(), chosen.end(), i) == chosen.end()) chosen.push_back(i);
  std::vector<FunctionCounts> all;
  for (const std::size_t i : chosen) all.push_back(functions[i]);
  return all;
}

void add_processes(const ProfileResult& result, Json& all) {
  for (const auto& process : result.processes) {
    all.push_back(row_json(process_columns(), process));
    for (const auto& thread : process.report.threads) all.push_back(row_json(thread_columns(), {thread, process.rank, process.report.pid}));
  }
}

}  // namespace

std::vector<EndedRank> ended_ranks(const ProfileResult& result) {
  const auto of_rank = [](const auto& all, int rank) {
    const auto found = std::ranges::find_if(all, [&](const auto& one) { return one.rank == rank; });
    return found == all.end() ? nullptr : &*found;
  };
  std::vector<EndedRank> ranks;
  for (const auto& rank : result.profile.ranks)
    ranks.push_back({rank, of_rank(result.endings, rank.rank), of_rank(result.timed, rank.rank)});
  for (const auto& timed : result.timed)
    if (of_rank(result.profile.ranks, timed.rank) == nullptr) ranks.push_back({{.rank = timed.rank, .counts = {}}, nullptr, &timed});
  return ranks;
}

std::string profile_text(const ProfileResult& result) {
  const auto& profile = result.profile;
  std::string text = "\n" + profile_head(result);
  if (profile.processes > 0)
    text += "\n" + totals_text(profile.total) + "\n" + flops_text(profile.total) + "\n" + traffic_text(profile.total);
  if (result.launched > 1) text += "\n" + ranks_text(result);
  if (!profile.regions.empty()) text += "\n" + aligned(region_columns(is_simulated(profile)), profile.regions);
  text += functions_text(profile, result.functions, "FLOPs", flops_of);
  text += functions_text(profile, result.functions, fmt::format("bytes {}", farthest_boundary(profile.total)), far_bytes_of);
  for (const auto& note : result.notes) text += wrapped("note: " + printable(note), 130, "") + "\n";
  return text;
}

std::string profile_json(const ProfileResult& result, const std::string& file) {
  const auto& profile = result.profile;
  Json rows = Json::array();
  if (profile.processes > 0) rows.push_back(row_json(total_columns(), {result.launched, &profile}));
  add_rows(function_columns(profile, "", flops_of), largest_functions(result), rows);
  add_rows(region_columns(true), result.profile.regions, rows);
  add_other_rows(result, rows);
  return profile_document(file, rows, result.notes, result.command, result.caches);
}

void add_other_rows(const ProfileResult& result, Json& rows) {
  add_rows(rank_columns(""), ended_ranks(result), rows);
  add_processes(result, rows);
}

Json profile_row_schemas() {
  return {row_schema(total_columns()),      row_schema(rank_columns("")),
          row_schema(region_columns(true)), row_schema(function_columns({}, "", flops_of)),
          row_schema(process_columns()),    row_schema(thread_columns())};
}

}  // namespace plumbline::app
