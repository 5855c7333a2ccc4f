#include "machine/gpu_watch.hpp"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

namespace plumbline {
namespace {

using nlohmann::ordered_json;

void add_reading(const GpuConditions& reading, GpuWatched& watched) {
  for (const Condition& number : reading.numbers) {
    if (!number.reason.empty()) continue;
    auto range = std::find_if(watched.during.begin(), watched.during.end(), [&](const auto& one) { return one.name == number.name; });
    if (range == watched.during.end()) range = watched.during.insert(watched.during.end(), {number.name, 0, number.value, 0, number.value});
    ++range->readings;
    range->least = std::min(range->least, number.value);
    range->most = std::max(range->most, number.value);
    range->mean += (number.value - range->mean) / static_cast<double>(range->readings);
  }
  if (const auto& reasons = reading.clock_event_reasons.value; reasons && *reasons != "none") watched.held_down_by.insert(*reasons);
}

ordered_json json_of(const GpuConditions& reading) {
  ordered_json all = ordered_json::parse(conditions_json(reading.numbers));
  const Fact& reasons = reading.clock_event_reasons;
  all[reasons.name] =
      reasons.value ? ordered_json{{"value", *reasons.value}} : ordered_json{{"value", nullptr}, {"reason", reasons.reason}};
  return all;
}

}  // namespace

double GpuWatched::mean(std::string_view name) const {
  const auto range = std::find_if(during.begin(), during.end(), [&](const auto& one) { return one.name == name; });
  return range == during.end() ? std::numeric_limits<double>::quiet_NaN() : range->mean;
}

std::string GpuWatched::json() const {
  ordered_json between = ordered_json::object();
  for (const auto& range : during)
    between[range.name] = {{"readings", range.readings}, {"least", range.least}, {"mean", range.mean}, {"most", range.most}};
  if (!during.empty()) between["clock_event_reasons"] = held_down_by;
  return ordered_json{{"before", json_of(before)}, {"during", between}, {"after", json_of(after)}}.dump();
}

std::string joined_spans(const std::string& earlier, const std::string& later) {
  ordered_json sum = ordered_json::parse(earlier);
  const ordered_json further = ordered_json::parse(later);
  ordered_json& during = sum["during"];
  for (const auto& [name, range] : further["during"].items()) {
    if (!during.contains(name)) {
      during[name] = range;
    } else if (range.is_array()) {
      auto reasons = during[name].get<std::set<std::string>>();
      reasons.merge(range.get<std::set<std::string>>());
      during[name] = reasons;
    } else {
      ordered_json& all = during[name];
      const auto before = all["readings"].get<double>(), more = range["readings"].get<double>();
      all["least"] = std::min(all["least"].get<double>(), range["least"].get<double>());
      all["mean"] = (before * all["mean"].get<double>() + more * range["mean"].get<double>()) / (before + more);
      all["most"] = std::max(all["most"].get<double>(), range["most"].get<double>());
      all["readings"] = all["readings"].get<std::size_t>() + range["readings"].get<std::size_t>();
    }
  }
  sum["after"] = further["after"];
  return sum.dump();
}

GpuWatch::GpuWatch(const Nvml& nvml, std::string pci, std::chrono::milliseconds interval)
    : nvml_(nvml), pci_(std::move(pci)), interval_(interval) {
  watched_.before = read_gpu_conditions(nvml_, pci_);
  if (nvml_.why_not().empty()) reader_ = std::thread([this] { read_until_ended(); });
}

GpuWatch::~GpuWatch() { stop(); }

void GpuWatch::read_until_ended() {
  std::unique_lock lock(mutex_);
  while (!ended_.wait_for(lock, interval_, [this] { return end_; })) add_reading(read_gpu_conditions(nvml_, pci_), watched_);
}

void GpuWatch::stop() {
  if (!reader_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    end_ = true;
  }
  ended_.notify_one();
  reader_.join();
}

GpuWatched GpuWatch::end() {
  stop();
  watched_.after = read_gpu_conditions(nvml_, pci_);
  return std::move(watched_);
}

}  // namespace plumbline
