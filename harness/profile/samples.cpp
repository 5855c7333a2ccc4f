#include "profile/samples.hpp"

#include <fmt/format.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <ctime>
#include <fstream>
#include <thread>

#include "core/error.hpp"

namespace plumbline {
namespace {

/// Room for 64 KiB of records a CPU, which takes 1.3 s to fill at one sample a millisecond. Linux lets every user hold some 500 KiB a CPU,
/// which the ranks of a node share: where that is used up, half as much will do, down to a page for 80 ms.
constexpr std::size_t most_pages = 16;
constexpr auto between_readings = std::chrono::milliseconds(50);

std::string in_words(int error) {
  std::string setting;
  std::getline(std::ifstream("/proc/sys/kernel/perf_event_paranoid"), setting);
  return fmt::format(
      "perf_event_open: {}{}", std::strerror(error),
      error == EACCES || error == EPERM
          ? fmt::format(" (kernel.perf_event_paranoid is {}, 2 or less is wanted; containers refuse it by their seccomp profile)",
                        setting.empty() ? "not readable" : setting)
          : "");
}

/// The words of a record that follow each other.
class Words {
 public:
  explicit Words(const char* at) : at_(at) {}
  template <class Word>
  Word next() {
    Word word;
    std::memcpy(&word, at_, sizeof word);
    at_ += sizeof word;
    return word;
  }
  std::string text() const { return at_; }

 private:
  const char* at_;
};

/// One CPU's records.
class Ring {
 public:
  Ring(int event, std::size_t page) : event_(event), page_(page) {
    void* memory = MAP_FAILED;
    for (std::size_t pages = most_pages; memory == MAP_FAILED && pages > 0 && (pages == most_pages || errno == EPERM); pages /= 2) {
      bytes_ = pages * page, mapped_ = (1 + pages) * page;
      memory = mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_SHARED, event, 0);
    }
    const int error = errno;
    if (memory == MAP_FAILED) {
      close(event_);
      throw user_error(fmt::format(
          "the program cannot be sampled: no memory for its samples: mmap: {}; users share kernel.perf_event_mlock_kb a CPU among all that "
          "they sample at a time: wait for the others, or raise it or 'ulimit -l'",
          std::strerror(error)));
    }
    memory_ = static_cast<char*>(memory);
  }
  Ring(Ring&& other) noexcept
      : event_(std::exchange(other.event_, -1)),
        bytes_(other.bytes_),
        mapped_(other.mapped_),
        page_(other.page_),
        memory_(std::exchange(other.memory_, nullptr)) {}
  Ring& operator=(Ring&&) = delete;
  ~Ring() {
    if (memory_ == nullptr) return;
    munmap(memory_, mapped_);
    close(event_);
  }

  void stop() const { ioctl(event_, PERF_EVENT_IOC_DISABLE, 0); }

  /// Gives `take` each record that is there, as a whole, and makes room.
  template <class Take>
  void read(Take take) {
    auto* const head = reinterpret_cast<perf_event_mmap_page*>(memory_);
    const std::uint64_t end = std::atomic_ref(head->data_head).load(std::memory_order_acquire);
    std::uint64_t at = head->data_tail;
    std::string record;
    while (at < end) {
      perf_event_header header;
      copy(at, sizeof header, reinterpret_cast<char*>(&header));
      record.resize(header.size);
      copy(at, header.size, record.data());
      take(header, record);
      at += header.size;
    }
    std::atomic_ref(head->data_tail).store(at, std::memory_order_release);
  }

 private:
  void copy(std::uint64_t from, std::size_t size, char* to) const {
    const char* const data = memory_ + page_;
    const std::size_t begin = from % bytes_, first = std::min(size, bytes_ - begin);
    std::memcpy(to, data + begin, first);
    std::memcpy(to + first, data, size - first);
  }

  int event_;
  std::size_t bytes_ = 0, mapped_ = 0, page_;
  char* memory_ = nullptr;
};

/// Opens the event of this thread and what it starts, on one CPU. It begins where a program is executed. `by_clock`: its times are those of
/// CLOCK_MONOTONIC, which the windows of regions have. -1, with errno: refused.
int try_event(int cpu, bool by_clock = false) {
  perf_event_attr event{};
  event.size = sizeof event;
  event.type = PERF_TYPE_SOFTWARE;
  event.config = PERF_COUNT_SW_CPU_CLOCK;
  event.sample_period = sampling_period_ns;
  event.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU;
  event.disabled = event.enable_on_exec = event.inherit = 1;
  event.exclude_kernel = event.exclude_hv = 1;
  event.mmap = event.mmap2 = event.comm = event.comm_exec = event.task = event.sample_id_all = 1;
  if (by_clock) event.use_clockid = 1, event.clockid = CLOCK_MONOTONIC;
  return static_cast<int>(syscall(SYS_perf_event_open, &event, 0, cpu, -1, PERF_FLAG_FD_CLOEXEC));
}

/// Opens it, too, but throws where it is refused. -1: there is no such CPU now.
int open_event(int cpu, bool by_clock) {
  const int opened = try_event(cpu, by_clock);
  if (opened < 0 && errno != ENODEV)
    throw user_error(fmt::format("the program cannot be sampled: {}; profile --count-only counts without times", in_words(errno)));
  return opened;
}

/// The time stands at the end of every record but samples, before the CPU.
std::uint64_t time_at_end(const std::string& record) {
  return Words(record.data() + record.size() - 2 * sizeof(std::uint64_t)).next<std::uint64_t>();
}

std::vector<Ring> rings_of_all_cpus(bool by_clock) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  std::vector<Ring> rings;
  for (int cpu = 0; cpu < sysconf(_SC_NPROCESSORS_CONF); ++cpu)
    if (const int event = open_event(cpu, by_clock); event >= 0) rings.emplace_back(event, page);
  return rings;
}

}  // namespace

SampledFunctions sampled_functions(Symbols& symbols, std::uint64_t period_ns) {
  return SampledFunctions(
      [&symbols](const std::string& object, std::uint64_t offset) {
        const FunctionPlace place = symbols.at_offset(object, offset);
        return SampledFunction{place.name, object.empty() ? "???" : object, place.begin};
      },
      sampling_slot_periods * period_ns);
}

std::string why_no_perf_event() {
  constexpr int any_cpu = -1;
  const int event = try_event(any_cpu);
  if (event < 0) return in_words(errno);
  close(event);
  return "";
}

/// Empties the rings from time to time, in a thread of its own.
class Sampler::Reader {
 public:
  Reader(Symbols& symbols, SampleWindow* window)
      : functions_(sampled_functions(symbols, sampling_period_ns)),
        window_(window),
        rings_(rings_of_all_cpus(window != nullptr)),
        thread_([this] { run(); }) {}
  ~Reader() { stop(); }

  Samples take() {
    stop();
    const auto& functions = functions_.finish();
    return {1e-9 * static_cast<double>(sampling_period_ns),
            functions,
            functions_.whole(),
            functions_.processes(),
            functions_.threads(),
            lost_,
            reading_seconds_};
  }

 private:
  void run() {
    while (!ending_.load()) {
      std::this_thread::sleep_for(between_readings);
      read();
      // Rings are read one after the other: what is younger than this reading may have elder records in those that were read first.
      follow_until(newest_before_);
      newest_before_ = newest_;
    }
    timespec used{};
    if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used) == 0)
      reading_seconds_ = static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
  }
  void stop() {
    if (!thread_.joinable()) return;
    for (const Ring& ring : rings_) ring.stop();
    ending_ = true;
    thread_.join();
    read();
    follow_until(~std::uint64_t{0});
  }

  void read() {
    for (Ring& ring : rings_) ring.read([this](const perf_event_header& header, const std::string& record) { take(header, record); });
  }

  void take(const perf_event_header& header, const std::string& record) {
    Words words(record.data() + sizeof header);
    SampleRecord taken;
    using Kind = SampleRecord::Kind;
    if (header.type == PERF_RECORD_SAMPLE) {
      taken.address = words.next<std::uint64_t>();
      taken.process = words.next<std::int32_t>();
      taken.thread = words.next<std::int32_t>();
      taken.time_ns = words.next<std::uint64_t>();
      taken.cpu = words.next<std::int32_t>();
    } else if (header.type == PERF_RECORD_MMAP2) {
      taken.kind = Kind::map;
      taken.process = words.next<std::int32_t>();
      words.next<std::int32_t>();  // the thread
      taken.address = words.next<std::uint64_t>();
      taken.bytes = words.next<std::uint64_t>();
      taken.file_offset = words.next<std::uint64_t>();
      for (int unused = 0; unused < 4; ++unused) words.next<std::uint64_t>();  // device, inode, its generation, protection
      taken.object = words.text();
      if (taken.object.starts_with("//") || !(taken.object.starts_with('/') || taken.object.starts_with('[')))
        taken.object.clear();  // "//anon"
    } else if (header.type == PERF_RECORD_COMM && (header.misc & PERF_RECORD_MISC_COMM_EXEC) != 0) {
      taken.kind = Kind::execute;
      taken.process = words.next<std::int32_t>();
    } else if (header.type == PERF_RECORD_FORK || header.type == PERF_RECORD_EXIT) {
      taken.kind = header.type == PERF_RECORD_FORK ? Kind::fork : Kind::exit;
      taken.process = words.next<std::int32_t>();
      taken.parent = words.next<std::int32_t>();
    } else {
      if (header.type == PERF_RECORD_LOST) words.next<std::uint64_t>(), lost_ += words.next<std::uint64_t>();
      return;
    }
    if (taken.kind != Kind::sample) taken.time_ns = time_at_end(record);
    newest_ = std::max(newest_, taken.time_ns);
    waiting_.push_back(std::move(taken));
  }

  void follow_until(std::uint64_t time_ns) {
    std::stable_sort(waiting_.begin(), waiting_.end(), [](const auto& a, const auto& b) { return a.time_ns < b.time_ns; });
    const auto behind =
        std::upper_bound(waiting_.begin(), waiting_.end(), time_ns, [](std::uint64_t time, const auto& one) { return time < one.time_ns; });
    if (window_ != nullptr) window_->refresh();
    std::for_each(waiting_.begin(), behind, [this](const auto& record) {
      if (window_ == nullptr || window_->takes(record)) functions_.take(record);
    });
    waiting_.erase(waiting_.begin(), behind);
  }

  SampledFunctions functions_;
  SampleWindow* window_;
  std::vector<Ring> rings_;
  std::vector<SampleRecord> waiting_;
  std::uint64_t newest_ = 0, newest_before_ = 0, lost_ = 0;
  double reading_seconds_ = 0;
  std::atomic<bool> ending_ = false;
  std::thread thread_;
};

Sampler::Sampler(Symbols& symbols, SampleWindow* window) : reader_(std::make_unique<Reader>(symbols, window)) {}
Sampler::~Sampler() = default;
Samples Sampler::take() { return reader_->take(); }

}  // namespace plumbline
