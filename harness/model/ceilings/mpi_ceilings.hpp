// Latency, bandwidth and half-bandwidth message size of links between ranks are found from samples of exchanged messages.
#pragma once
#include <span>
#include <vector>

#include "model/ceilings/ceilings.hpp"

namespace plumbline {

/// Fits the ceilings of each link and traffic in the samples between ranks; all others are left alone.
/// Latency ("MPI latency ..."): the shortest half round trip of the smallest message, in seconds.
/// Streams ("MPI one way ...", "MPI both ways ..."): the best rate at the message size with the best median, in GB/s; and, named with ",
/// half bandwidth", the message size n1/2 at which the best rates reach half of their peak (Hockney, Parallel Computing 20, 1994), in
/// bytes.
/// Ceiling::size_bytes is the size of the messages.
std::vector<Ceiling> fit_mpi_ceilings(std::span<const CeilingRow> samples);

}  // namespace plumbline
