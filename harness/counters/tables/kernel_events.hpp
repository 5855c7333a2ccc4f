// Events to which the kernel itself gives a meaning, on every CPU: no event table has to say what they are.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>

namespace plumbline {

struct KernelEvent {
  const char *name, *description;
  std::uint32_t type;      // perf_event_attr.type: PERF_TYPE_SOFTWARE or PERF_TYPE_HARDWARE
  std::uint64_t config;    // perf_event_attr.config
  bool in_kernel = false;  // it happens in the kernel: leaving the kernel out would leave it out
};

/// Software events first.
std::span<const KernelEvent> kernel_events();
/// Finds the event of this name; null for a name that is none of them.
const KernelEvent* find_kernel_event(std::string_view name);

}  // namespace plumbline
