#include "profile/run_window.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/error.hpp"
#include "preload/region_records.h"
#include "profile/record_bytes.hpp"

namespace plumbline {
namespace {

constexpr std::string_view region_prefix = "region:";

[[noreturn]] void refuse_window(const std::string& text) {
  throw user_error(fmt::format(
      "--window: '{}' is no part of a run: give a stretch of time (10s:20s, 10s:, :20s), a marked region (region:NAME), or some "
      "entries of one (region:NAME:3-5)",
      text));
}

/// The whole text as a number; nullopt where it is none.
template <class Number>
std::optional<Number> number_in(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

/// Seconds are "10s", "10" or "1.5s"; `missing` where it is empty.
double seconds_in(std::string_view text, double missing, const std::string& whole) {
  if (text.empty()) return missing;
  if (text.ends_with('s')) text.remove_suffix(1);
  const auto seconds = number_in<double>(text);
  if (!seconds || !(*seconds >= 0)) refuse_window(whole);
  return *seconds;
}

/// Entries are "3" or "3-5". False: these are none.
bool take_entries(std::string_view text, RunWindow& window) {
  const auto dash = text.find('-');
  const auto first = number_in<std::uint64_t>(text.substr(0, dash));
  const auto last = dash == text.npos ? first : number_in<std::uint64_t>(text.substr(dash + 1));
  if (!first || !last) return false;
  window.first = *first, window.last = *last;
  return true;
}

}  // namespace

RunWindow parse_window(const std::string& text) {
  RunWindow window{.text = text};
  const std::string_view all = text;
  const auto colon = all.rfind(':');
  if (colon == all.npos) refuse_window(text);
  if (!all.starts_with(region_prefix)) {
    window.begin_seconds = seconds_in(all.substr(0, colon), 0, text);
    window.end_seconds = seconds_in(all.substr(colon + 1), window.end_seconds, text);
    if (window.begin_seconds >= window.end_seconds || all == ":") refuse_window(text);
    return window;
  }
  window.region = all.substr(region_prefix.size());
  if (colon >= region_prefix.size() && take_entries(all.substr(colon + 1), window)) {
    window.region = all.substr(region_prefix.size(), colon - region_prefix.size());
    if (window.first == 0 || window.last < window.first) refuse_window(text);
  }
  if (window.region.empty()) refuse_window(text);
  return window;
}

std::vector<std::string> counting_options(const RunWindow& window) {
  if (window.region.empty()) return {};
  std::vector<std::string> options{"--window=" + window.region};
  if (window.last > 0) options.push_back(fmt::format("--window-entries={}-{}", window.first, window.last));
  return options;
}

std::optional<SetVariable> region_window(const RunWindow& window) {
  if (window.region.empty()) return std::nullopt;
  return SetVariable{PLUMBLINE_REGIONS_WINDOW, fmt::format("{}-{}:{}", window.first, window.last, window.region)};
}

void SampleWindow::refresh() {
  if (window_.region.empty()) return;
  stays_.clear();
  for (const auto& file : record_files(folder_, ".regions")) {
    const std::string bytes = record_bytes(file, PLUMBLINE_REGIONS_FORMAT);
    const auto head = record_at<RegionsHead>(bytes, 0);
    if (!head) continue;
    auto& stays = stays_[static_cast<int>(head->file.process)];
    each_record<RegionRecordBegin>(bytes, sizeof *head, [&](std::size_t at, const RegionRecordBegin& begin) {
      const auto stay = begin.kind == kRegionStay ? record_at<RegionStay>(bytes, at) : std::nullopt;
      if (stay) stays.push_back({stay->begin_ns, stay->end_ns});
    });
    std::ranges::sort(stays, {}, &Stay::begin_ns);
  }
}

bool SampleWindow::takes(const SampleRecord& record) {
  if (!start_ns_) start_ns_ = record.time_ns;
  if (record.kind != SampleRecord::Kind::sample) return true;
  if (window_.is_of_time()) {
    const double seconds = 1e-9 * (static_cast<double>(record.time_ns) - static_cast<double>(*start_ns_));
    return seconds >= window_.begin_seconds && seconds < window_.end_seconds;
  }
  const auto process = stays_.find(record.process);
  if (process == stays_.end()) return false;
  const auto behind = std::ranges::upper_bound(process->second, record.time_ns, {}, &Stay::begin_ns);
  if (behind == process->second.begin()) return false;
  const Stay& stay = *std::prev(behind);
  return stay.end_ns == 0 || record.time_ns < stay.end_ns;
}

}  // namespace plumbline
