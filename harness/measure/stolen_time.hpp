// A hypervisor steals time: it gives the CPUs to other machines while this one wants to run.
#pragma once
#include <filesystem>
#include <span>
#include <string>

#include "core/records.hpp"

namespace plumbline {

/// The seconds stolen since the system started, summed over some of its CPUs. Absent with the reason where the system does not tell.
struct StolenTime {
  double seconds = absent;
  std::string why_not = {};
};

/// Reads `steal` of /proc/stat (proc(5)), in steps of a clock tick, usually 10 ms. `root` stands for "/".
StolenTime stolen_time(std::span<const int> cpus, const std::filesystem::path& root = "/");

}  // namespace plumbline
