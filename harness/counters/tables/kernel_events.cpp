#include "counters/tables/kernel_events.hpp"

#include <linux/perf_event.h>

#include <algorithm>

namespace plumbline {
namespace {

constexpr KernelEvent all[] = {
    {"task-clock", "nanoseconds this thread ran", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK},
    {"page-faults", "pages mapped on first touch, or brought back", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
    {"minor-faults", "page faults that read nothing from disk", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN},
    {"major-faults", "page faults that read from disk", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ},
    {"alignment-faults", "misaligned accesses that the kernel carried out", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_ALIGNMENT_FAULTS},
    {"emulation-faults", "instructions that the kernel carried out", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_EMULATION_FAULTS},
    {"context-switches", "times this thread gave up its CPU", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, true},
    {"cpu-migrations", "times this thread moved to another CPU", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS, true},
    {"cycles", "core cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
    {"instructions", "instructions retired", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
    {"cache-references", "last-level cache accesses, as the kernel maps them", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES},
    {"cache-misses", "last-level cache misses, as the kernel maps them", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
    {"branches", "branches retired", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
    {"branch-misses", "branches mispredicted", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES},
    {"ref-cycles", "cycles at the nominal clock", PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES},
};

}  // namespace

std::span<const KernelEvent> kernel_events() { return all; }

const KernelEvent* find_kernel_event(std::string_view name) {
  const auto* found = std::find_if(std::begin(all), std::end(all), [&](const KernelEvent& one) { return name == one.name; });
  return found == std::end(all) ? nullptr : found;
}

}  // namespace plumbline
