#include "profile/sampled_places.hpp"

#include <algorithm>
#include <iterator>

namespace plumbline {

std::size_t SampledPlaces::number_of(const std::string& object) {
  const auto [known, is_new] = numbers_.try_emplace(object, objects_.size());
  if (is_new) objects_.push_back(object);
  return known->second;
}

void SampledPlaces::map(Mappings& mappings, const SampleRecord& record) {
  const std::uint64_t end = record.address + record.bytes;
  // What lay there is gone; what reaches beyond on either side stays.
  auto at = mappings.upper_bound(record.address);
  if (at != mappings.begin() && std::prev(at)->second.end > record.address) --at;
  while (at != mappings.end() && at->first < end) {
    const auto [begin, old] = *at;
    at = mappings.erase(at);
    if (begin < record.address) mappings[begin] = {record.address, old.file_offset, old.object};
    if (old.end > end) mappings[end] = {old.end, old.file_offset + (end - begin), old.object};
  }
  mappings[record.address] = {end, record.file_offset, number_of(record.object)};
}

void SampledPlaces::take(const SampleRecord& record) {
  using Kind = SampleRecord::Kind;
  if (record.kind == Kind::fork) {
    if (record.process != record.parent) processes_[record.process] = processes_[record.parent];
    return;
  }
  Mappings& mappings = processes_[record.process];
  if (record.kind == Kind::execute) return mappings.clear();
  if (record.kind == Kind::map) return map(mappings, record);
  const auto behind = mappings.upper_bound(record.address);
  const bool is_known = behind != mappings.begin() && record.address < std::prev(behind)->second.end;
  const auto& [begin, mapping] = is_known ? *std::prev(behind) : std::pair<const std::uint64_t, Mapping>{record.address, {}};
  // Code in no file may be anywhere the next time: it has no place that is worth telling.
  const std::uint64_t offset = mapping.object == 0 ? 0 : mapping.file_offset + (record.address - begin);
  ++samples_[{record.process, record.thread, mapping.object, offset}];
}

std::vector<SampledPlace> SampledPlaces::places() const {
  std::vector<SampledPlace> all;
  for (const auto& [place, samples] : samples_) {
    const auto& [process, thread, object, offset] = place;
    all.push_back({process, thread, objects_[object], offset, samples});
  }
  return all;
}

}  // namespace plumbline
