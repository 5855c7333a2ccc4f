// The loops of the general plasmon pole take these arguments, on CPUs (gpp_loop.hpp) as on GPUs (gpp.cu).
#pragma once
#include <cstddef>

enum class GppVariant { naive, vector, blocked, nodivide };

/// Complex numbers are kept as two arrays: compilers do interleaved ones with lanes to spare, and the FLOPs would depend on the flavor.
template <class Number>
struct Complex {
  Number re, im;
};

/// An array of rows over the plane waves is stored block by block: all rows of the first `block_waves` of them, then all rows of the next,
/// and within a row the waves `stride` elements apart.
template <class Real>
struct Gpp {
  GppVariant variant;
  std::size_t nbands, ngpown, ncouls, nw, stride;
  std::size_t block_waves, block_bands, ach_pitch;
  Real limit_one, limit_two;         // a pole is far from an energy where |delw|^2 < limit_one and |wdiff|^2 > limit_two
  Complex<const Real*> wtilde, eps;  // ngpown rows of ncouls
  Complex<const Real*> aqsn;         // nbands rows of ncouls
  Complex<const Real*> wx;           // nbands x nw
  Complex<Real*> ach;                // ngpown rows of nw, each in lines of its own
};
