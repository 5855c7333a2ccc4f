// These loops alone are the general plasmon pole in four steps of optimization, with complex arithmetic written out. They are compiled once
// a flavor, and once on Counted.
#pragma once
#include <cstddef>

#include "ert/lanes.hpp"
#include "proxies/gpp_arguments.hpp"

namespace {

/// The numbers at nw energies (their sums, or themselves), or a vector for each. They nest instead of lying in arrays, and so stay in
/// registers.
template <std::size_t nw, class V>
struct GppEnergies {
  V re, im;
  GppEnergies<nw - 1, V> others;
};
template <class V>
struct GppEnergies<0, V> {};

/// One vector of plane waves (or one of them): the pole wtilde and the matrix element aqsn eps.
template <class V>
struct GppPoles {
  V wtilde_re, wtilde_im, matrix_re, matrix_im;
};

/// A row of each array within a block of plane waves.
template <class Real>
struct GppRow {
  Complex<const Real*> wtilde, eps, aqsn, wx;
  std::size_t waves, stride;
};

/// Keeps a number, but no vector, apart from others: compilers would put a few of them into one vector, with lanes to spare.
template <class Real, class V>
PLUMBLINE_INLINE void gpp_keep_apart(V& x) {
  if constexpr (sizeof(V) == sizeof(Real)) keep(x);
}

/// A sum gains a term.
template <class Real, class V>
PLUMBLINE_INLINE void gpp_gain(V& sum, const V& term) {
  sum = sum + term;
  gpp_keep_apart<Real>(sum);
}

template <class V, class Real>
PLUMBLINE_INLINE void gpp_gather(V& x, const Real* from, std::size_t wave, std::size_t stride) {
  x = strided<V>(from + wave * stride, stride);
}

template <class V, class Real>
PLUMBLINE_INLINE void gpp_fill(V& x, Real value) {
  x = strided<V>(&value, 0);
}

template <class V, class Real>
PLUMBLINE_INLINE void gpp_load_poles(GppPoles<V>& pole, const GppRow<Real>& row, std::size_t wave) {
  V eps_re, eps_im, aqsn_re, aqsn_im;
  if (row.stride == 1) {
    pole.wtilde_re = loaded<V>(row.wtilde.re + wave);
    pole.wtilde_im = loaded<V>(row.wtilde.im + wave);
    eps_re = loaded<V>(row.eps.re + wave);
    eps_im = loaded<V>(row.eps.im + wave);
    aqsn_re = loaded<V>(row.aqsn.re + wave);
    aqsn_im = loaded<V>(row.aqsn.im + wave);
  } else {
    gpp_gather(pole.wtilde_re, row.wtilde.re, wave, row.stride);
    gpp_gather(pole.wtilde_im, row.wtilde.im, wave, row.stride);
    gpp_gather(eps_re, row.eps.re, wave, row.stride);
    gpp_gather(eps_im, row.eps.im, wave, row.stride);
    gpp_gather(aqsn_re, row.aqsn.re, wave, row.stride);
    gpp_gather(aqsn_im, row.aqsn.im, wave, row.stride);
  }
  pole.matrix_re = aqsn_re * eps_re - aqsn_im * eps_im;
  pole.matrix_im = aqsn_re * eps_im + aqsn_im * eps_re;
  gpp_keep_apart<Real>(pole.matrix_re);
  gpp_keep_apart<Real>(pole.matrix_im);
}

/// delw = wtilde conj(wdiff) / norm, norm = |wdiff|^2, at one energy, by two divisions or by one reciprocal.
template <bool divides, class Real, class V>
PLUMBLINE_INLINE void gpp_find_delw(V& re, V& im, V& norm, const GppPoles<V>& pole, const V& wx_re, const V& wx_im) {
  V wdiff_re = wx_re - pole.wtilde_re, wdiff_im = wx_im - pole.wtilde_im;
  gpp_keep_apart<Real>(wdiff_re);
  gpp_keep_apart<Real>(wdiff_im);
  norm = wdiff_re * wdiff_re + wdiff_im * wdiff_im;
  re = pole.wtilde_re * wdiff_re + pole.wtilde_im * wdiff_im;
  im = pole.wtilde_im * wdiff_re - pole.wtilde_re * wdiff_im;
  gpp_keep_apart<Real>(re);
  gpp_keep_apart<Real>(im);
  if constexpr (divides) {
    re = re / norm;
    im = im / norm;
  } else {
    V weight;
    gpp_fill(weight, Real(1));
    weight = weight / norm;
    re = re * weight;
    im = im * weight;
  }
  gpp_keep_apart<Real>(re);
  gpp_keep_apart<Real>(im);
}

/// Each sum gains the poles' contribution at its energy, matrix delw, or begins with it.
template <bool divides, bool begins, class Real, std::size_t nw, class V>
PLUMBLINE_INLINE void gpp_gain_poles(GppEnergies<nw, V>& sum, const GppEnergies<nw, V>& wx, const GppPoles<V>& pole) {
  V delw_re, delw_im, norm;
  gpp_find_delw<divides, Real>(delw_re, delw_im, norm, pole, wx.re, wx.im);
  const V re = pole.matrix_re * delw_re - pole.matrix_im * delw_im, im = pole.matrix_re * delw_im + pole.matrix_im * delw_re;
  if constexpr (begins) {
    sum.re = re;
    sum.im = im;
  } else {
    gpp_gain<Real>(sum.re, re);
    gpp_gain<Real>(sum.im, im);
  }
  if constexpr (nw > 1) gpp_gain_poles<divides, begins, Real>(sum.others, wx.others, pole);
}

template <bool divides, bool begins, std::size_t nw, class V, class Real>
PLUMBLINE_INLINE void gpp_gain_waves(GppEnergies<nw, V>& sum, const GppEnergies<nw, V>& wx, const GppRow<Real>& row, std::size_t wave) {
  GppPoles<V> pole;
  gpp_load_poles(pole, row, wave);
  gpp_gain_poles<divides, begins, Real>(sum, wx, pole);
}

template <std::size_t nw, class V, class Real>
PLUMBLINE_INLINE void gpp_broadcast(GppEnergies<nw, V>& wx, const Real* re, const Real* im) {
  wx.re = broadcast<V>(*re);
  wx.im = broadcast<V>(*im);
  if constexpr (nw > 1) gpp_broadcast(wx.others, re + 1, im + 1);
}

template <std::size_t nw, class Real>
PLUMBLINE_INLINE void gpp_clear(GppEnergies<nw, Real>& sum) {
  sum.re = sum.im = Real(0);
  if constexpr (nw > 1) gpp_clear(sum.others);
}

/// A sum gains all lanes of a partial one, through memory: gcc takes lanes out of registers by an instruction that Valgrind does not know.
template <class V, class Real>
PLUMBLINE_INLINE void gpp_gain_lanes(Real& sum, const V& partial) {
  if constexpr (sizeof(V) == sizeof(Real)) {
    gpp_gain<Real, Real>(sum, partial);
  } else {
    Real lanes[sizeof(V) / sizeof(Real)];
    stored(lanes, partial);
    asm volatile("" : "+m"(lanes));
    for (const Real lane : lanes) gpp_gain<Real, Real>(sum, lane);
  }
}

template <std::size_t nw, class V, class Real>
PLUMBLINE_INLINE void gpp_gain_partial(GppEnergies<nw, Real>& sum, const GppEnergies<nw, V>& partial) {
  gpp_gain_lanes(sum.re, partial.re);
  gpp_gain_lanes(sum.im, partial.im);
  if constexpr (nw > 1) gpp_gain_partial(sum.others, partial.others);
}

template <std::size_t nw, class Real>
PLUMBLINE_INLINE void gpp_gain_sums(Real* re, Real* im, const GppEnergies<nw, Real>& sum) {
  gpp_gain<Real, Real>(*re, sum.re);
  gpp_gain<Real, Real>(*im, sum.im);
  if constexpr (nw > 1) gpp_gain_sums(re + 1, im + 1, sum.others);
}

/// Sums a row's contributions. Partial sums stay in the lanes of vector registers; they begin with the first vector instead of zero, so
/// that as many numbers are added as there are plane waves, whatever the vectors' length.
template <bool divides, std::size_t nw, class Real>
PLUMBLINE_INLINE void gpp_sum_row(GppEnergies<nw, Real>& sum, const GppRow<Real>& row) {
  using V = Widest<Real>;
  constexpr std::size_t lanes = sizeof(V) / sizeof(Real);
  const std::size_t in_vectors = row.waves / lanes * lanes;
  gpp_clear(sum);
  if (in_vectors != 0) {
    GppEnergies<nw, V> partial, wx;
    gpp_broadcast(wx, row.wx.re, row.wx.im);
    gpp_gain_waves<divides, true>(partial, wx, row, 0);
    for (std::size_t wave = lanes; wave < in_vectors; wave += lanes) gpp_gain_waves<divides, false>(partial, wx, row, wave);
    gpp_gain_partial(sum, partial);
  }
  if (in_vectors == row.waves) return;
  GppEnergies<nw, Real> wx;
  gpp_broadcast(wx, row.wx.re, row.wx.im);
  for (std::size_t wave = in_vectors; wave < row.waves; ++wave) gpp_gain_waves<divides, false>(sum, wx, row, wave);
}

/// The rows of poles igp and of `band` within the block of plane waves that begins at `first`.
template <class Real>
PLUMBLINE_INLINE GppRow<Real> gpp_row(const Gpp<Real>& x, std::size_t first, std::size_t igp, std::size_t band) {
  const std::size_t waves = x.ncouls - first < x.block_waves ? x.ncouls - first : x.block_waves;
  const std::size_t pole = (first * x.ngpown + igp * waves) * x.stride, element = (first * x.nbands + band * waves) * x.stride;
  return {{x.wtilde.re + pole, x.wtilde.im + pole},
          {x.eps.re + pole, x.eps.im + pole},
          {x.aqsn.re + element, x.aqsn.im + element},
          {x.wx.re + band * x.nw, x.wx.im + band * x.nw},
          waves,
          x.stride};
}

template <class Real>
static void gpp_clear_rows(const Gpp<Real>& x, std::size_t begin, std::size_t end) {
  for (std::size_t igp = begin; igp < end; ++igp)
    for (std::size_t iw = 0; iw < x.nw; ++iw) x.ach.re[igp * x.ach_pitch + iw] = x.ach.im[igp * x.ach_pitch + iw] = Real(0);
}

/// Adds one block of plane waves and one of bands to the rows [begin, end) of ach.
template <bool divides, std::size_t nw, class Real>
static void gpp_add_block(const Gpp<Real>& x, std::size_t first_wave, std::size_t first_band, std::size_t begin, std::size_t end) {
  const std::size_t end_band = x.nbands - first_band < x.block_bands ? x.nbands : first_band + x.block_bands;
  for (std::size_t igp = begin; igp < end; ++igp)
    for (std::size_t band = first_band; band < end_band; ++band) {
      GppEnergies<nw, Real> sum;
      gpp_sum_row<divides>(sum, gpp_row(x, first_wave, igp, band));
      gpp_gain_sums(x.ach.re + igp * x.ach_pitch, x.ach.im + igp * x.ach_pitch, sum);
    }
}

template <bool divides, std::size_t nw, class Real>
static void gpp_sweep_blocks(const Gpp<Real>& x, std::size_t begin, std::size_t end) {
  for (std::size_t wave = 0; wave < x.ncouls; wave += x.block_waves)
    for (std::size_t band = 0; band < x.nbands; band += x.block_bands) gpp_add_block<divides, nw>(x, wave, band, begin, end);
}

template <bool divides, class Real>
static void gpp_sweep_energies(const Gpp<Real>& x, std::size_t begin, std::size_t end) {
  switch (x.nw) {
    case 1:
      return gpp_sweep_blocks<divides, 1>(x, begin, end);
    case 2:
      return gpp_sweep_blocks<divides, 2>(x, begin, end);
    case 3:
      return gpp_sweep_blocks<divides, 3>(x, begin, end);
    case 4:
      return gpp_sweep_blocks<divides, 4>(x, begin, end);
    case 5:
      return gpp_sweep_blocks<divides, 5>(x, begin, end);
    default:
      return gpp_sweep_blocks<divides, 6>(x, begin, end);
  }
}

/// Sums one row at one energy as BerkeleyGW did at first: every pole is asked whether it is far from the energy.
template <class Real>
static void gpp_sum_row_by_branches(const Gpp<Real>& x, const GppRow<Real>& row, std::size_t iw, Real& re, Real& im) {
  const Real wx_re = row.wx.re[iw], wx_im = row.wx.im[iw];
  Real sum_re = Real(0), sum_im = Real(0);
  for (std::size_t wave = 0; wave < row.waves; ++wave) {
    GppPoles<Real> pole;
    Real delw_re, delw_im, norm;
    gpp_load_poles(pole, row, wave);
    gpp_find_delw<true, Real>(delw_re, delw_im, norm, pole, wx_re, wx_im);
    if (norm > x.limit_two && delw_re * delw_re + delw_im * delw_im < x.limit_one) {
      gpp_gain<Real, Real>(sum_re, pole.matrix_re * delw_re - pole.matrix_im * delw_im);
      gpp_gain<Real, Real>(sum_im, pole.matrix_re * delw_im + pole.matrix_im * delw_re);
    }
  }
  re = re + sum_re;
  im = im + sum_im;
}

template <class Real>
static void gpp_sweep_naively(const Gpp<Real>& x, std::size_t begin, std::size_t end) {
  for (std::size_t igp = begin; igp < end; ++igp)
    for (std::size_t band = 0; band < x.nbands; ++band)
      for (std::size_t iw = 0; iw < x.nw; ++iw)
        gpp_sum_row_by_branches(x, gpp_row(x, 0, igp, band), iw, x.ach.re[igp * x.ach_pitch + iw], x.ach.im[igp * x.ach_pitch + iw]);
}

}  // namespace

/// Sweeps the rows [begin, end) of ach: a pole's contribution for each band and plane wave at nw energies,
///   ach[iw] += aqsn eps delw,  delw = wtilde conj(wdiff) / |wdiff|^2,  wdiff = wx[band, iw] - wtilde.
template <class Real>
static void sweep(const Gpp<Real>& x, std::size_t begin, std::size_t end) {
  gpp_clear_rows(x, begin, end);
  switch (x.variant) {
    case GppVariant::naive:
      return gpp_sweep_naively(x, begin, end);
    case GppVariant::nodivide:
      return gpp_sweep_energies<false>(x, begin, end);
    default:
      return gpp_sweep_energies<true>(x, begin, end);
  }
}
