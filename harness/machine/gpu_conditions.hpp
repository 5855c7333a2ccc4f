// The conditions of an NVIDIA GPU at one moment are its clocks, its power, its heat, and what holds its clocks down.
#pragma once
#include <string>
#include <vector>

#include "machine/conditions.hpp"
#include "machine/fact.hpp"
#include "machine/nvml.hpp"

namespace plumbline {

struct GpuConditions {
  std::vector<Condition> numbers;  // sm_clock_mhz, memory_clock_mhz, power_watts, temperature_celsius, performance_state, pcie_generation
  Fact clock_event_reasons;        // "none", or "power limit (software), heat (hardware)"
};

/// Reads the conditions of the GPU at a PCI address ("0000:17:00.0"), as the driver tells them now. It may be called before, during and
/// after a measurement, from any thread: it takes about ten calls of the library.
GpuConditions read_gpu_conditions(const Nvml& nvml, const std::string& pci);

/// A set of nvmlClocksEventReasons in words; "none" where nothing holds the clocks down.
std::string clock_event_words(unsigned long long reasons);

}  // namespace plumbline
