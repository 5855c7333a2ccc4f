// The checksums of this result file all hold, so that damage gets as far as the HDF5 library's readers of metadata. The library crashes on
// some of it, and the program reads every file in a process that may crash (app/results/stored_results.hpp). So does this: a crash of the
// library is a refusal, a fault of our own is none.
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <new>
#include <stdexcept>

#include "core/error.hpp"
#include "store/result_store.hpp"
#include "tests/fuzz/memory_file.hpp"
#include "tests/fuzz/reader.hpp"
#include "tests/store/samples.hpp"

// This takes the library's place, where it is a shared one: what it writes has the checksum 0, and so has what it reads. (Elsewhere they
// are its own, and this reader refuses more.)
extern "C" unsigned H5_checksum_metadata(const void*, std::size_t, unsigned);
extern "C" unsigned H5_checksum_metadata(const void*, std::size_t, unsigned) { return 0; }
extern "C" unsigned H5_checksum_fletcher32(const void*, std::size_t);
extern "C" unsigned H5_checksum_fletcher32(const void*, std::size_t) { return 0; }

// AddressSanitizer, where it is compiled in, asks for these options.
extern "C" const char* __asan_default_options();
extern "C" const char* __asan_default_options() { return "detect_leaks=0:symbolize=0:allocator_may_return_null=1"; }
extern "C" void __asan_set_error_report_callback(void (*told)(const char* report)) __attribute__((weak));

// LibFuzzer, where it is compiled in, counts here how often each place of the code was passed.
extern "C" unsigned char __start___sancov_cntrs[] __attribute__((weak));
extern "C" unsigned char __stop___sancov_cntrs[] __attribute__((weak));

namespace plumbline::fuzz {
namespace {

enum Ending : int { whole = 0, refused = 20, of_the_library = 21, not_for_the_user = 22, of_the_fuzzer_memory = 71 };

/// libFuzzer looks at the parent's counters: those of the child are the same memory, but for the first and last page, which hold other
/// things, too.
bool share_coverage() {
  if (__start___sancov_cntrs == nullptr) return false;
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto first = (reinterpret_cast<std::uintptr_t>(__start___sancov_cntrs) + page - 1) / page * page;
  const auto end = reinterpret_cast<std::uintptr_t>(__stop___sancov_cntrs) / page * page;
  if (end <= first) return false;
  return mmap(reinterpret_cast<void*>(first), end - first, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1, 0) !=
         MAP_FAILED;
}

/// The first two functions of the report: memcpy may be one.
void leave_if_the_librarys(const char* report) {
  const char* const third = std::strstr(report, "    #2 ");
  const char* const library = std::strstr(report, "libhdf5");
  const bool is_librarys = library != nullptr && (third == nullptr || library < third);
  const bool is_too_much = std::strstr(report, "allocation-size-too-big") != nullptr || std::strstr(report, "out-of-memory") != nullptr;
  if (is_librarys || is_too_much) _exit(of_the_library);
}

[[noreturn]] void read_here(const std::filesystem::path& path) {
  constexpr rlimit seconds{5, 6}, none{0, 0};
  setrlimit(RLIMIT_CPU, &seconds);
  setrlimit(RLIMIT_CORE, &none);
  for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGABRT, SIGILL, SIGXCPU}) std::signal(number, SIG_DFL);
  if (__asan_set_error_report_callback != nullptr) __asan_set_error_report_callback(leave_if_the_librarys);
  try {
    load_store(path);
  } catch (const Error&) {
    _exit(refused);
  } catch (const std::bad_alloc&) {
    _exit(refused);
  } catch (const std::exception&) {
    _exit(not_for_the_user);
  }
  _exit(whole);
}

}  // namespace

void read(std::string_view bytes) {
  [[maybe_unused]] static const bool is_shared = share_coverage();
  const MemoryFile file(bytes);
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("no process can be started");
  if (child == 0) read_here(file.path());
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) throw user_error("the library crashes on it");
  switch (WEXITSTATUS(status)) {
    case whole:
      return;
    case refused:
    case of_the_library:
    case of_the_fuzzer_memory:
      throw user_error("it is refused, or the library crashes on it");
    default:
      throw std::runtime_error("its reader ended with exit code " + std::to_string(WEXITSTATUS(status)));
  }
}

std::string mended(std::string_view bytes) { return std::string(bytes); }

std::vector<std::string> seeds() {
  const Scratch scratch;
  write_store(scratch / "sample.h5", sample_results(2));
  return {slurp(scratch / "sample.h5")};
}

}  // namespace plumbline::fuzz
