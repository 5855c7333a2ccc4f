// Which caches to simulate: this machine's, or those of a file.
#pragma once
#include <string>
#include <vector>

#include "core/flows.hpp"
#include "machine/topology.hpp"

namespace plumbline {

/// Three levels as the emulator takes them, and what had to be assumed.
struct CacheGeometry {
  std::string name;  // "this machine", or what the file says
  std::vector<CacheLevel> levels;
  std::vector<std::string> notes;
};

/// As many of three levels as the machine shows, none of them empty of ways or lines.
CacheGeometry caches_of_machine(const Topology& topology);

/// All three. Throws Error (I/O) when the machine shows no caches.
CacheGeometry geometry_of_machine(const Topology& topology);

/// A TOML file (geometries/README.md). Throws Error (user) that names file, line and what is wrong.
CacheGeometry geometry_from_file(const std::string& path);

/// "--l1=32768,8,64", ...
std::vector<std::string> geometry_options(const CacheGeometry& geometry);

/// How many of a node's `ranks` share one L3, taken that they are spread evenly over the machine's L3s.
int ranks_per_l3(const Topology& topology, int ranks);

}  // namespace plumbline
