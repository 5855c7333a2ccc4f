// MUMPS is opened at run time, the one without MPI: a sparse system factored and solved in an order that is given, or why it cannot be had.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace plumbline {

struct Mumps {
  std::string absent;   // why there is none; empty when there is
  std::string version;  // such as 5.5.1
};

/// The library, opened at first use. Its dense kernels are those of the BLAS that the loader finds for it: OpenBLAS's are Haswell's, on one
/// thread (openblas()).
const Mumps& mumps();

/// One system, by rows (CSR), in the order in which it is to be eliminated: no row is exchanged and nothing is scaled, but MUMPS joins
/// columns into fronts as it sees fit. Throws std::runtime_error where there is no MUMPS, and where it refuses.
class MumpsSystem {
 public:
  MumpsSystem(std::span<const double> values, std::span<const std::int32_t> columns, std::span<const std::size_t> starts);
  MumpsSystem(const MumpsSystem&) = delete;
  MumpsSystem& operator=(const MumpsSystem&) = delete;
  ~MumpsSystem();

  /// Computes the factors anew. Throws std::runtime_error where the matrix is singular.
  void factor();
  /// Solves for one right-hand side, by the last factors.
  void solve(std::span<const double> right, std::span<double> solution);
  /// FLOPs of eliminating in its fronts, as MUMPS reckons them before it factors (RINFOG(1)), and those that it says it did, with those of
  /// assembling the fronts (RINFOG(2) and (3)); a product and its sum are two.
  double expected_flops() const;
  double factor_flops() const;
  /// The entries of its factors, zeros and all, as it expects them (INFOG(20)), and the memory in which fronts and factors lie.
  double expected_entries() const;
  double workspace_bytes() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace plumbline
