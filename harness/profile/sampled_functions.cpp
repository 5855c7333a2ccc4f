#include "profile/sampled_functions.hpp"

#include <algorithm>
#include <iterator>

namespace plumbline {

void add(SampleSum& to, const SampleSum& more) {
  if (more.samples == 0) return;
  const auto before = static_cast<double>(to.samples), weight = static_cast<double>(more.samples);
  to.cores = (to.cores * before + more.cores * weight) / (before + weight);
  to.samples += more.samples;
  to.elapsed += more.elapsed;
}

void SampledFunctions::Slot::add(const SampleRecord& record) {
  ++of_cpu[record.cpu];
  ++of_thread[record.thread];
}

SampleSum SampledFunctions::Slot::close() {
  std::uint64_t most = 0, all = 0;
  for (const auto& [cpu, samples] : of_cpu) most = std::max(most, samples), all += samples;
  for (const auto& [thread, samples] : of_thread) most = std::max(most, samples);
  const SampleSum this_slot{all, static_cast<double>(most), static_cast<double>(std::min(of_cpu.size(), of_thread.size()))};
  plumbline::add(sum, this_slot);
  of_cpu.clear(), of_thread.clear(), of_place.clear();
  return this_slot;
}

std::size_t SampledFunctions::number_of(const std::string& object) {
  const auto [known, is_new] = object_numbers_.try_emplace(object, objects_.size());
  if (is_new) objects_.push_back(object);
  return known->second;
}

void SampledFunctions::map(Process& process, const SampleRecord& record) {
  auto& mappings = process.mappings;
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

void SampledFunctions::fork(const SampleRecord& record) {
  ++threads_started_;
  if (record.process == record.parent) {
    ++processes_[record.process].threads;
    return;
  }
  ++processes_started_;
  processes_[record.process] = {processes_[record.parent].mappings, 1};
}

std::size_t SampledFunctions::function_at(std::size_t object, std::uint64_t file_offset) {
  SampledFunction function = function_at_(objects_[object], file_offset);
  const auto [known, is_new] = known_.try_emplace({function.object, function.begin}, functions_.size());
  if (is_new) {
    functions_.push_back(std::move(function));
    slots_.emplace_back();
  }
  return known->second;
}

std::size_t SampledFunctions::place_of(const Process& process, std::uint64_t address) {
  const auto behind = process.mappings.upper_bound(address);
  const bool is_known = behind != process.mappings.begin() && address < std::prev(behind)->second.end;
  const Mapping mapping = is_known ? std::prev(behind)->second : Mapping{};
  // Code in no file may be anywhere the next time: it has no place that is worth telling.
  const std::uint64_t offset = mapping.object == 0 ? 0 : mapping.file_offset + (address - std::prev(behind)->first);
  const auto [place, is_new] = place_numbers_.try_emplace({mapping.object, offset}, places_.size());
  if (is_new) places_.push_back({function_at(mapping.object, offset), offset});
  return place->second;
}

void SampledFunctions::take(const SampleRecord& record) {
  using Kind = SampleRecord::Kind;
  if (record.kind == Kind::fork) return fork(record);
  Process& process = processes_[record.process];
  if (record.kind == Kind::exit && --process.threads <= 0) processes_.erase(record.process);
  if (record.kind == Kind::execute) process = {};
  if (record.kind == Kind::map) map(process, record);
  if (record.kind != Kind::sample) return;
  if (record.time_ns / slot_ns_ != slot_) close_slot();
  slot_ = record.time_ns / slot_ns_;
  const std::size_t place = place_of(process, record.address), function = places_[place].function;
  if (slots_[function].of_cpu.empty()) met_.push_back(function);
  slots_[function].add(record);
  ++slots_[function].of_place[place];
  whole_.add(record);
}

void SampledFunctions::close_slot() {
  for (const std::size_t function : met_) {
    const auto of_place = slots_[function].of_place;
    const SampleSum all = slots_[function].close();
    for (const auto& [place, samples] : of_place)
      add(places_[place].sum, {samples, all.elapsed * static_cast<double>(samples) / static_cast<double>(all.samples), all.cores});
  }
  met_.clear();
  whole_.close();
}

const std::vector<SampledFunction>& SampledFunctions::finish() {
  close_slot();
  for (std::size_t i = 0; i < functions_.size(); ++i) functions_[i].sum = slots_[i].sum, functions_[i].places.clear();
  for (const Place& place : places_)
    if (place.file_offset != 0) functions_[place.function].places.push_back({place.file_offset, place.sum});
  return functions_;
}

}  // namespace plumbline
