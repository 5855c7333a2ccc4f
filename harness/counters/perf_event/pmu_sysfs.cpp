#include "counters/perf_event/pmu_sysfs.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>

namespace plumbline {
namespace {

namespace fs = std::filesystem;

std::optional<std::string> line_of(const fs::path& file) {
  std::ifstream in(file);
  std::string line;
  if (!std::getline(in, line)) return std::nullopt;
  while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.pop_back();
  return line;
}

// Decimal or 0x..., the whole text.
std::optional<std::uint64_t> number(std::string_view text) {
  int base = 10;
  if (text.starts_with("0x") || text.starts_with("0X")) base = 16, text.remove_prefix(2);
  std::uint64_t value = 0;
  const auto [stop, failed] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (text.empty() || failed != std::errc() || stop != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<std::pair<int, int>> range(std::string_view text) {
  const auto dash = text.find('-');
  const auto first = number(text.substr(0, dash)), last = dash == text.npos ? first : number(text.substr(dash + 1));
  if (!first || !last || *first > *last || *last > 1 << 20) return std::nullopt;
  return std::pair{static_cast<int>(*first), static_cast<int>(*last)};
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const auto end = std::min(text.find(separator), text.size());
    parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

std::string listed(const Pmu& pmu) {
  std::string names;
  for (const auto& [name, format] : pmu.formats) names += (names.empty() ? "" : ", ") + name;
  return names.empty() ? "none" : names;
}

// The value's lowest bits go where the format says; false when it has more bits than that.
bool place(const FormatField& field, std::uint64_t value, std::array<std::uint64_t, 3>& config) {
  for (const auto& [first, last] : field.bits)
    for (int bit = first; bit <= last; ++bit, value >>= 1U) {
      auto& word = config[static_cast<std::size_t>(field.word)];
      word = (word & ~(1ULL << bit)) | (value & 1U) << bit;
    }
  return value == 0;
}

std::optional<Pmu> read_pmu(const fs::path& folder) {
  const auto type = number(line_of(folder / "type").value_or(""));
  if (!type) return std::nullopt;
  Pmu pmu;
  pmu.name = folder.filename().string();
  pmu.type = static_cast<std::uint32_t>(*type);
  std::error_code failed;
  for (const auto& file : fs::directory_iterator(folder / "format", failed))
    if (const auto format = parse_format(line_of(file.path()).value_or(""))) pmu.formats[file.path().filename().string()] = *format;
  for (const auto& file : fs::directory_iterator(folder / "events", failed)) {
    const auto name = file.path().filename().string();
    const auto written = line_of(file.path());
    if (written && !name.ends_with(".scale") && !name.ends_with(".unit") && !name.ends_with(".snapshot") && !name.ends_with(".per-pkg"))
      pmu.events[name] = *written;
  }
  pmu.cpus = parse_cpus(line_of(folder / "cpumask").value_or(""));
  return pmu;
}

}  // namespace

std::optional<FormatField> parse_format(std::string_view text) {
  const auto colon = text.find(':');
  if (colon == text.npos) return std::nullopt;
  const auto word = text.substr(0, colon);
  FormatField field;
  if (word == "config1" || word == "config2")
    field.word = word.back() - '0';
  else if (word != "config")
    return std::nullopt;
  for (const auto part : split(text.substr(colon + 1), ',')) {
    const auto bits = range(part);
    if (!bits || bits->second > 63) return std::nullopt;
    field.bits.push_back(*bits);
  }
  if (field.bits.empty()) return std::nullopt;
  return field;
}

std::vector<int> parse_cpus(std::string_view text) {
  std::vector<int> cpus;
  for (const auto part : split(text, ','))
    if (const auto some = range(part))
      for (int cpu = some->first; cpu <= some->second; ++cpu) cpus.push_back(cpu);
  return cpus;
}

std::vector<Pmu> read_pmus(const fs::path& folder) {
  std::vector<Pmu> pmus;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(folder, failed))
    if (auto pmu = read_pmu(entry.path())) pmus.push_back(std::move(*pmu));
  std::sort(pmus.begin(), pmus.end(), [](const Pmu& a, const Pmu& b) { return a.name < b.name; });
  return pmus;
}

std::vector<const Pmu*> instances_of(const std::vector<Pmu>& pmus, std::string_view kind) {
  std::vector<const Pmu*> found;
  for (const auto& pmu : pmus) {
    const std::string_view name = pmu.name;
    if (!name.starts_with(kind)) continue;
    const auto rest = name.substr(kind.size());
    const bool numbered = rest.size() > 1 && rest.front() == '_' && rest.find_first_not_of("0123456789", 1) == rest.npos;
    if (rest.empty() || numbered) found.push_back(&pmu);
  }
  return found;
}

Encoding encode(const Pmu& pmu, std::string_view written) {
  Encoding code;
  code.type = pmu.type;
  const auto named = pmu.events.find(written);
  const std::string text(named == pmu.events.end() ? written : std::string_view(named->second));
  const auto refuse = [&](const std::string& why) {
    code.problem = {Status::unavailable, pmu.name + "/" + std::string(written) + "/: " + why};
    return code;
  };
  for (const auto part : split(text, ',')) {
    const auto equals = part.find('=');
    const auto name = part.substr(0, equals);
    const auto value = equals == part.npos ? std::optional<std::uint64_t>(1) : number(part.substr(equals + 1));
    if (!value) return refuse("'" + std::string(part) + "' has no number");
    if (name == "config" || name == "config1" || name == "config2") {
      code.config[name == "config" ? 0 : static_cast<std::size_t>(name.back() - '0')] |= *value;
      continue;
    }
    const auto format = pmu.formats.find(name);
    if (format == pmu.formats.end())
      return refuse("there is neither an event nor a format '" + std::string(name) + "'; formats are " + listed(pmu));
    if (!place(format->second, *value, code.config)) return refuse("'" + std::string(part) + "' has more bits than the format holds");
  }
  return code;
}

}  // namespace plumbline
