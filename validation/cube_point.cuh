// A point of a 7-point stencil in three dimensions and its six neighbours, as one thread of a GPU sees them.
#pragma once
#include "cuda/arithmetic.cuh"

namespace plumbline {

template <class Real>
struct CubePoint {
  /// Finds the point of interior row `row` of n x n, in 32 bits, whose division takes a GPU few instructions.
  template <class Arguments>
  PLUMBLINE_BOTH CubePoint(const Arguments& x, std::size_t row_number, std::size_t column) : in(x.in) {
    const auto n = static_cast<unsigned>(x.n), r = static_cast<unsigned>(row_number);
    row = x.n + 2;
    plane = row * row;
    point = (r / n + 1) * plane + (r % n + 1) * row + 1 + column;
  }

  PLUMBLINE_BOTH Real centre() const { return in[point]; }
  PLUMBLINE_BOTH Real next_plane() const { return in[point + plane]; }
  /// The other five neighbours, added one after the other: five sums.
#pragma nv_exec_check_disable
  PLUMBLINE_BOTH Real plus_neighbours(Real sum) const {
    sum = cuda::plus(sum, in[point - plane]);
    sum = cuda::plus(sum, in[point + row]);
    sum = cuda::plus(sum, in[point - row]);
    sum = cuda::plus(sum, in[point + 1]);
    return cuda::plus(sum, in[point - 1]);
  }

  const Real* in;
  std::size_t row, plane, point;
};

}  // namespace plumbline
