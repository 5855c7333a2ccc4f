// The caches to simulate are this machine's, or those of a file.
#pragma once
#include <string>
#include <vector>

#include "core/flows.hpp"
#include "machine/topology.hpp"

namespace plumbline {

/// The three levels that the emulator simulates, and what had to be assumed.
struct CacheGeometry {
  std::string name;  // "this machine", or what the file says
  std::vector<CacheLevel> levels;
  std::vector<std::string> notes;
};

/// The caches of a machine: as many of three levels as it shows, none of them empty of ways or lines.
CacheGeometry caches_of_machine(const Topology& topology);

/// The caches of a machine, all three levels. Throws Error (I/O) when the machine shows no caches.
CacheGeometry geometry_of_machine(const Topology& topology);

/// Reads a geometry from a TOML file (geometries/README.md). Throws Error (user) that names file, line and what is wrong.
CacheGeometry geometry_from_file(const std::string& path);

/// The emulator's options for a geometry: "--l1=32768,8,64", ...
std::vector<std::string> geometry_options(const CacheGeometry& geometry);

/// The number of a node's `ranks` that share one L3, taken that they are spread evenly over the machine's L3s.
int ranks_per_l3(const Topology& topology, int ranks);

}  // namespace plumbline
