#include "profile/tool_report.hpp"

#include <fmt/format.h>

#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "core/text/whole_number.hpp"

namespace plumbline {
namespace {

using Json = nlohmann::json;

EventSums sums_of(const Json& counts) {
  EventSums sums;
  for (const auto& [event, value] : counts.items())
    sums[event] = value.is_null() ? std::nullopt : std::optional(whole_number<std::uint64_t>(value));
  return sums;
}

std::vector<CodePiece> pieces_of(const Json& function) {
  std::vector<CodePiece> pieces;
  if (!function.contains("pieces")) return pieces;
  for (const auto& one : function.at("pieces")) {
    CodePiece& piece = pieces.emplace_back(CodePiece{whole_number<std::uint64_t>(one.at("begin")),
                                                     whole_number<std::uint64_t>(one.at("end")),
                                                     {},
                                                     one.at("anywhere").get<bool>(),
                                                     sums_of(one.at("counts"))});
    for (const auto& address : one.at("to")) piece.leads_to.push_back(whole_number<std::uint64_t>(address));
  }
  return pieces;
}

/// The reuse distances of a thread or region; nothing where three levels, or none, were simulated.
std::optional<ReuseDistances> reuse_of(const Json& document, const Json& one) {
  if (!one.contains("reuse")) return std::nullopt;
  constexpr double never = std::numeric_limits<double>::infinity();
  const auto lines = [](const Json& value) { return value.is_null() ? never : value.get<double>(); };
  ReuseDistances distances{.line_bytes = document.at("caches").at("line_bytes").get<double>()};
  for (const Json& row : one.at("reuse"))
    distances.buckets.push_back({lines(row.at(0)), lines(row.at(1)), row.at(2).get<double>(), row.at(3).get<double>(),
                                 row.at(4).get<double>(), row.at(5).get<double>()});
  for (const auto& [sets, squares] : one.at("crowding").items())
    distances.crowding[static_cast<unsigned>(std::stoul(sets))] = squares.get<double>();
  return distances;
}

ToolReport report_of(const Json& document) {
  ToolReport report;
  report.abi = whole_number<unsigned>(document.at("abi"));
  report.pid = whole_number<int>(document.at("pid"));
  report.parent = whole_number<int>(document.at("parent"));
  report.command = document.at("command").get<std::vector<std::string>>();
  report.total = sums_of(document.at("total"));
  for (const auto& one : document.at("threads"))
    report.threads.push_back({whole_number<int>(one.at("thread")), sums_of(one.at("counts")), reuse_of(document, one)});
  for (const auto& one : document.at("regions"))
    report.regions.push_back({one.at("name").get<std::string>(), whole_number<int>(one.at("thread")),
                              whole_number<std::uint64_t>(one.at("entries")), one.at("open").get<bool>(), sums_of(one.at("counts")),
                              reuse_of(document, one)});
  if (document.contains("functions"))
    for (const auto& one : document.at("functions"))
      report.functions.push_back({one.at("name").get<std::string>(), one.at("object").get<std::string>(),
                                  whole_number<std::uint64_t>(one.at("begin")), sums_of(one.at("counts")), pieces_of(one),
                                  reuse_of(document, one)});
  return report;
}

// A program's name or a symbol may hold bytes that are no UTF-8: those and their like become question marks.
Json parse(std::string text) {
  if (Json::accept(text)) return Json::parse(text);
  for (char& c : text)
    if (static_cast<unsigned char>(c) >= 0x80) c = '?';
  return Json::parse(text);
}

}  // namespace

void add(EventSums& to, const EventSums& more) {
  for (const auto& [event, value] : more) {
    const auto [place, is_new] = to.try_emplace(event, value);
    if (is_new) continue;
    if (place->second && value)
      *place->second += *value;
    else
      place->second = std::nullopt;
  }
}

ToolReport read_tool_report(const std::filesystem::path& file) {
  std::ifstream in(file);
  if (!in) throw io_error(fmt::format("cannot read the counts in {}", file.string()));
  try {
    const Json document = parse({std::istreambuf_iterator<char>(in), {}});
    if (document.at("schema") != "plumbline-emulator/1") throw io_error(fmt::format("{} is no report of the emulator", file.string()));
    return report_of(document);
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    throw io_error(fmt::format("the counts in {} are not whole: {}", file.string(), error.what()));
  }
}

}  // namespace plumbline
