#include "profile/sampled_functions.hpp"

#include <algorithm>
#include <iterator>

namespace plumbline {

void SampledFunctions::Slot::add(const SampleRecord& record) {
  ++of_cpu[record.cpu];
  ++of_thread[record.thread];
}

void SampledFunctions::Slot::close() {
  std::uint64_t most = 0, all = 0;
  for (const auto& [cpu, samples] : of_cpu) most = std::max(most, samples), all += samples;
  for (const auto& [thread, samples] : of_thread) most = std::max(most, samples);
  const auto weight = static_cast<double>(all), before = static_cast<double>(sum.samples),
             cores = static_cast<double>(std::min(of_cpu.size(), of_thread.size()));
  if (all > 0) sum.cores = (sum.cores * before + cores * weight) / (before + weight);
  sum.samples += all;
  sum.elapsed += most;
  of_cpu.clear(), of_thread.clear();
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

std::size_t SampledFunctions::function_of(const Process& process, std::uint64_t address) {
  const auto behind = process.mappings.upper_bound(address);
  const bool is_known = behind != process.mappings.begin() && address < std::prev(behind)->second.end;
  const Mapping mapping = is_known ? std::prev(behind)->second : Mapping{};
  // Code in no file may be anywhere the next time: it has no place that is worth telling.
  const std::uint64_t offset = mapping.object == 0 ? 0 : mapping.file_offset + (address - std::prev(behind)->first);
  const auto [place, is_new] = function_numbers_.try_emplace({mapping.object, offset}, 0);
  if (!is_new) return place->second;
  SampledFunction function = function_at_(objects_[mapping.object], offset);
  const auto [known, is_new_function] = known_.try_emplace({function.object, function.begin}, functions_.size());
  if (is_new_function) {
    functions_.push_back(std::move(function));
    slots_.emplace_back();
  }
  return place->second = known->second;
}

void SampledFunctions::take(const SampleRecord& record) {
  using Kind = SampleRecord::Kind;
  if (record.kind == Kind::fork) return fork(record);
  Process& process = processes_[record.process];
  if (record.kind == Kind::exit && --process.threads <= 0) processes_.erase(record.process);
  if (record.kind == Kind::execute) process = {};
  if (record.kind == Kind::map) map(process, record);
  if (record.kind != Kind::sample) return;
  if (record.time_ns / sampling_slot_ns != slot_) close_slot();
  slot_ = record.time_ns / sampling_slot_ns;
  const std::size_t function = function_of(process, record.address);
  if (slots_[function].of_cpu.empty()) met_.push_back(function);
  slots_[function].add(record);
  whole_.add(record);
}

void SampledFunctions::close_slot() {
  for (const std::size_t function : met_) slots_[function].close();
  met_.clear();
  whole_.close();
}

const std::vector<SampledFunction>& SampledFunctions::finish() {
  close_slot();
  for (std::size_t i = 0; i < functions_.size(); ++i) functions_[i].sum = slots_[i].sum;
  return functions_;
}

}  // namespace plumbline
