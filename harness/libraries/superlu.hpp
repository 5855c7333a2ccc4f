// SuperLU is opened at run time: a sparse system factored and solved in an order that is given, or why it cannot be had.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace plumbline {

/// SuperLU's choices that its FLOPs hang on, which are told to it: with others of its own it would do other work.
struct SuperLuChoices {
  static constexpr int relaxed = 10;  // subtrees of fewer columns are one supernode, zeros and all (sp_ienv(2) of 5.3 to 7.0)
  static constexpr int panel = 20;    // columns that are computed side by side (sp_ienv(1))
};

struct SuperLu {
  std::string absent;   // why there is none; empty when there is
  std::string version;  // such as 5.3.0
};

/// The library, opened at first use. Its dense kernels are those of the BLAS that the loader finds for it: OpenBLAS's are Haswell's, on one
/// thread (openblas()).
const SuperLu& superlu();

/// One system, by columns (CSC) whose rows ascend, in the order in which it is to be eliminated: no column is exchanged, and no row as long
/// as no pivot is zero. `parents` is the tree of the elimination, subtrees together, -1 above roots (sparse_order.hpp).
/// Throws std::runtime_error where there is no SuperLU, and where it refuses.
class SuperLuSystem {
 public:
  SuperLuSystem(std::span<const double> values, std::span<const std::int32_t> rows, std::span<const std::size_t> starts,
                std::span<const std::int32_t> parents);
  SuperLuSystem(const SuperLuSystem&) = delete;
  SuperLuSystem& operator=(const SuperLuSystem&) = delete;
  ~SuperLuSystem();

  /// Computes the factors anew, in the memory of those before. Throws std::runtime_error where a pivot is zero: the matrix is singular.
  void factor();
  /// Solves for one right-hand side, by the last factors.
  void solve(std::span<const double> right, std::span<double> solution);
  /// The FLOPs of the last call of each as SuperLU itself reckons them (its ops[FACT] and ops[SOLVE], a product and its sum being two).
  double factor_flops() const;
  double solve_flops() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace plumbline
