#include "profile/timer_samples.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <set>
#include <utility>

#include "core/error.hpp"
#include "preload/cpu_timer_records.h"
#include "profile/preloading.hpp"
#include "profile/record_bytes.hpp"

namespace plumbline {
namespace {

namespace fs = std::filesystem;
using Kind = SampleRecord::Kind;

/// The file of a process, or of what it was before it executed another program.
struct TimerFile {
  CpuTimerHead head = {};
  std::vector<SampleRecord> records = {};  // in the order in which they were written
  int threads = 0;
  std::uint64_t periods = 0, samples = 0;
};

SampleRecord record_of(const CpuTimerHead& head, const CpuTimerRecord& from, const char* name) {
  SampleRecord record{.time_ns = from.time_ns,
                      .process = static_cast<int>(head.file.process),
                      .thread = static_cast<int>(from.thread),
                      .cpu = static_cast<int>(from.cpu),
                      .address = from.address};
  if (from.kind != kCpuTimerMap) return record;
  record.kind = Kind::map, record.bytes = from.end - from.address, record.file_offset = from.file_offset;
  record.object.assign(name, from.name);
  return record;
}

TimerFile read_file(const fs::path& path) {
  TimerFile file;
  const std::string bytes = record_bytes(path, PLUMBLINE_CPU_TIMER_FORMAT);
  if (const auto head = record_at<CpuTimerHead>(bytes, 0)) file.head = *head;
  std::size_t at = sizeof file.head;
  while (const auto record = record_at<CpuTimerRecord>(bytes, at)) {
    if (record->bytes < sizeof *record + record->name || record->bytes > bytes.size() - at) break;  // its process was killed meanwhile
    if (record->kind == kCpuTimerThread) ++file.threads;
    if (record->kind == kCpuTimerSample) ++file.samples, file.periods += record->periods;
    if (record->kind == kCpuTimerMap || record->kind == kCpuTimerSample)
      file.records.push_back(record_of(file.head, *record, bytes.data() + at + sizeof *record));
    at += record->bytes;
  }
  return file;
}

std::vector<TimerFile> read_files(const fs::path& folder) {
  std::vector<TimerFile> files;
  for (const auto& path : record_files(folder, ".samples"))
    if (TimerFile file = read_file(path); !file.records.empty()) files.push_back(std::move(file));
  std::ranges::sort(files, {}, [](const TimerFile& file) { return file.records.front().time_ns; });
  return files;
}

/// All records in the order of their times, and between them those of the processes' and threads' begins.
std::vector<SampleRecord> in_order(std::vector<TimerFile>& files) {
  std::vector<SampleRecord> all;
  std::set<int> known;
  for (TimerFile& file : files) {
    const int process = static_cast<int>(file.head.file.process), parent = static_cast<int>(file.head.file.parent);
    const std::uint64_t time_ns = file.records.front().time_ns;
    const bool is_new = known.insert(process).second;
    if (!is_new)
      all.push_back({.kind = Kind::execute, .time_ns = time_ns, .process = process});
    else if (known.size() > 1)
      all.push_back({.kind = Kind::fork, .time_ns = time_ns, .process = process, .parent = parent});
    for (int more = 1; more < file.threads; ++more)
      all.push_back({.kind = Kind::fork, .time_ns = time_ns, .process = process, .parent = process});
    std::ranges::move(file.records, std::back_inserter(all));
  }
  std::ranges::stable_sort(all, {}, &SampleRecord::time_ns);
  return all;
}

}  // namespace

TimerSampler::TimerSampler(const fs::path& library, fs::path folder) : folder_(std::move(folder)) {
  if (!is_name_for_loader(library))
    throw user_error(
        fmt::format("the program cannot be sampled by timers of its own: the loader takes no library whose name has a blank or a "
                    "colon, as {} has: install plumbline elsewhere",
                    library.string()));
  fs::create_directories(folder_);
  environment_ = {{PLUMBLINE_CPU_TIMER_FOLDER, folder_.string()}, {PLUMBLINE_CPU_TIMER_PERIOD, std::to_string(sampling_period_ns)}};
}

Samples TimerSampler::take(Symbols& symbols, SampleWindow* window) const {
  std::vector<TimerFile> files = read_files(folder_);
  std::uint64_t periods = 0, samples = 0, lost = 0;
  for (const TimerFile& file : files) periods += file.periods, samples += file.samples, lost += file.head.lost;
  const std::uint64_t each_ns = samples == 0 ? sampling_period_ns : periods * sampling_period_ns / samples;
  SampledFunctions functions = sampled_functions(symbols, each_ns);
  if (window != nullptr) window->refresh();
  for (const SampleRecord& record : in_order(files))
    if (window == nullptr || window->takes(record)) functions.take(record);
  const auto& found = functions.finish();
  return {1e-9 * static_cast<double>(each_ns), found, functions.whole(), functions.processes(), functions.threads(), lost};
}

}  // namespace plumbline
