// GPUs as ranks and nodes tell each other of them.
#pragma once
#include <nlohmann/json.hpp>

#include "app/here/gpus.hpp"

namespace plumbline {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(GpuProperties, ordinal, name, pci, flavor, major, minor, multiprocessors, threads_per_multiprocessor,
                                   warp_threads, clock_hz, memory_clock_hz, memory_bus_bits, memory_bytes, l2_bytes,
                                   shared_bytes_per_multiprocessor, ecc, peers, uuid)

}  // namespace plumbline

namespace plumbline::app {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(NodeGpus, gpus, why_none)

}  // namespace plumbline::app
