#include "model/cases/factors.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <unordered_map>

#include "core/flavor.hpp"
#include "core/flows.hpp"
#include "core/fnv.hpp"

namespace plumbline {
namespace {

using Words = std::array<std::string, factor_count>;

std::string& at(Words& words, Factor factor) { return words[static_cast<std::size_t>(factor)]; }

bool is_number(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// Adds a parameter "p=v" of a work id to the factor that it belongs to.
void add_parameter(const CaseRow& row, std::string_view parameter, Words& words) {
  const auto equals = parameter.find('=');
  if (equals == std::string_view::npos) return;
  const bool orders = row.kernel == "validation/series" && parameter.substr(0, equals) == "n";
  const Factor factor = !is_number(parameter.substr(equals + 1)) ? Factor::form : orders ? Factor::order : Factor::size;
  std::string& word = at(words, factor);
  word += (word.empty() ? "" : "/") + std::string(parameter);
}

Words words_of(const Measured& measured) {
  const CaseRow& row = *measured.of;
  Words words;
  const FlavorName flavor = split_flavor(row.flavor);
  at(words, Factor::compiler) = flavor.compiler;
  at(words, Factor::level) = flavor.level;
  at(words, Factor::isa) = flavor.isa;
  at(words, Factor::precision) = row.precision;
  at(words, Factor::kernel) = row.kernel;
  at(words, Factor::team) = "r" + std::to_string(row.ranks) + "t" + std::to_string(working_threads(row));
  at(words, Factor::node) = measured.node;
  at(words, Factor::regime) = regime_of(measured);
  for (std::size_t begin = 0; begin < row.work.size();) {
    const std::size_t end = std::min(row.work.find('/', begin), row.work.size());
    add_parameter(row, std::string_view(row.work).substr(begin, end - begin), words);
    begin = end + 1;
  }
  return words;
}

/// Whether another factor must agree for two cases to be compared by this one. The regime follows from the others; kernels differ in their
/// parameters by nature, and so do sizes across regimes.
bool must_agree(Factor factor, Factor other) {
  if (other == factor || other == Factor::regime) return false;
  const bool shapes = other == Factor::size || other == Factor::order || other == Factor::form;
  if (factor == Factor::kernel && shapes) return false;
  return !(factor == Factor::regime && other == Factor::size);
}

std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) {
  hash ^= value + 0x9e3779b97f4a7c15ULL + (hash << 6) + (hash >> 2);
  hash *= 0xff51afd7ed558ccdULL;
  return hash ^ (hash >> 33);
}

}  // namespace

std::string_view to_string(Factor factor) { return enumerator_name(factor); }

std::string_view in_words(Factor factor) { return factor == Factor::level ? "optimization level" : to_string(factor); }

double slack_bytes(const CaseRow& row) {
  constexpr std::uint64_t line_bytes = 64;
  return static_cast<double>(slackened_flows * slack_lines_per_thread * line_bytes) * static_cast<double>(row.ranks * working_threads(row));
}

std::string regime_of(const Measured& measured) {
  constexpr std::array<std::pair<const char*, const char*>, 3> levels{
      {{"L1", "bytes.L1-L2"}, {"L2", "bytes.L2-L3"}, {"L3", "bytes.L3-mem"}}};
  bool known = false;
  for (const auto& [level, quantity] : levels) {
    const Bounds bytes = measured.expected(quantity);
    if (!std::isfinite(bytes.hi)) continue;
    known = true;
    if (bytes.hi <= slack_bytes(*measured.of)) return level;
    if (bytes.lo <= 0) return std::string("edge of ") + level;
  }
  return known ? "mem" : "";
}

FactorTable::FactorTable(const Measurements& measurements) {
  std::array<std::unordered_map<std::string, std::uint32_t>, factor_count> numbers;
  std::unordered_map<std::string, std::uint32_t> works;
  for (const auto& measured : measurements.cases) {
    const Words words = words_of(measured);
    auto& row = of_case_.emplace_back();
    for (std::size_t f = 0; f < factor_count; ++f) {
      const auto [found, is_new] = numbers[f].try_emplace(words[f], static_cast<std::uint32_t>(words_[f].size()));
      if (is_new) words_[f].push_back(words[f]);
      row[f] = found->second;
    }
    const auto [found, is_new] = works.try_emplace(measured.of->work, static_cast<std::uint32_t>(work_words_.size()));
    if (is_new) work_words_.push_back(measured.of->work);
    work_.push_back(found->second);
    names_.push_back(&measured.of->id);
  }
  for (std::size_t f = 0; f < factor_count; ++f) {
    match(static_cast<Factor>(f));
    halve(static_cast<Factor>(f));
  }
}

/// Holds every second work back, in an order that nothing but the works' names decides.
void FactorTable::halve(Factor factor) {
  std::vector<std::uint32_t> first_value(works()), order(works());
  for (std::size_t at = cases(); at-- > 0;) first_value[work_[at]] = value(at, factor);
  for (std::uint32_t work = 0; work < works(); ++work) order[work] = work;
  std::vector<std::uint64_t> hashes;
  for (const auto& word : work_words_) hashes.push_back(mixed(fnv1a(word), 0));
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::tuple(first_value[a], hashes[a], a) < std::tuple(first_value[b], hashes[b], b);
  });
  auto& held_out = held_out_[static_cast<std::size_t>(factor)];
  held_out.assign(works(), false);
  for (std::size_t i = 1; i < order.size(); i += 2) held_out[order[i]] = true;
}

void FactorTable::match(Factor factor) {
  std::vector<std::uint64_t> keys(cases());
  for (std::size_t i = 0; i < cases(); ++i)
    for (std::size_t f = 0; f < factor_count; ++f)
      if (must_agree(factor, static_cast<Factor>(f))) keys[i] = mixed(keys[i], of_case_[i][f]);
  Matched& matched = matched_[static_cast<std::size_t>(factor)];
  for (std::uint32_t i = 0; i < cases(); ++i) matched.cases.push_back(i);
  std::sort(matched.cases.begin(), matched.cases.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::tuple(keys[a], value(a, factor), a) < std::tuple(keys[b], value(b, factor), b);
  });
  for (std::size_t i = 0; i < matched.cases.size(); ++i)
    if (i == 0 || keys[matched.cases[i]] != keys[matched.cases[i - 1]]) matched.begins.push_back(i);
  matched.begins.push_back(matched.cases.size());
}

}  // namespace plumbline
