// This loop alone is the general plasmon pole, with complex arithmetic written out. It is compiled once a flavor, and once on Counted.
#pragma once
#include <cstddef>

/// Complex numbers are kept as two arrays: compilers do interleaved ones with lanes to spare, and the FLOPs would depend on the flavor.
template <class Number>
struct Complex {
  Number re, im;
};

template <class Real>
struct Gpp {
  std::size_t nbands, ngpown, ncouls, nw;
  Complex<const Real*> wtilde, eps;  // ngpown x ncouls
  Complex<const Real*> aqsn;         // nbands x ncouls
  Complex<const Real*> wx;           // nw
  Complex<Real*> ach;                // ngpown x nw
};

/// Sweeps the rows [begin, end) of ach: for each band and plane wave a pole's contribution at nw energies,
///   ach[iw] += aqsn eps (wtilde conj(wdiff) / |wdiff|^2),  wdiff = wx[iw] - wtilde.
template <class Real>
static void sweep(const Gpp<Real>& x, std::size_t begin, std::size_t end) {
  const std::size_t nw = x.nw;
  const Real* __restrict wx_re = x.wx.re;
  const Real* __restrict wx_im = x.wx.im;
  for (std::size_t igp = begin; igp < end; ++igp) {
    Real* __restrict ach_re = x.ach.re + igp * nw;
    Real* __restrict ach_im = x.ach.im + igp * nw;
    for (std::size_t iw = 0; iw < nw; ++iw) ach_re[iw] = ach_im[iw] = Real(0);
    for (std::size_t band = 0; band < x.nbands; ++band) {
      for (std::size_t ig = 0; ig < x.ncouls; ++ig) {
        const Real wtilde_re = x.wtilde.re[igp * x.ncouls + ig], wtilde_im = x.wtilde.im[igp * x.ncouls + ig];
        const Real eps_re = x.eps.re[igp * x.ncouls + ig], eps_im = x.eps.im[igp * x.ncouls + ig];
        const Real aqsn_re = x.aqsn.re[band * x.ncouls + ig], aqsn_im = x.aqsn.im[band * x.ncouls + ig];
        const Real matrix_re = aqsn_re * eps_re - aqsn_im * eps_im;
        const Real matrix_im = aqsn_re * eps_im + aqsn_im * eps_re;
        for (std::size_t iw = 0; iw < nw; ++iw) {
          const Real wdiff_re = wx_re[iw] - wtilde_re, wdiff_im = wx_im[iw] - wtilde_im;
          const Real weight = Real(1) / (wdiff_re * wdiff_re + wdiff_im * wdiff_im);
          const Real delw_re = (wtilde_re * wdiff_re + wtilde_im * wdiff_im) * weight;
          const Real delw_im = (wtilde_im * wdiff_re - wtilde_re * wdiff_im) * weight;
          ach_re[iw] = ach_re[iw] + (matrix_re * delw_re - matrix_im * delw_im);
          ach_im[iw] = ach_im[iw] + (matrix_re * delw_im + matrix_im * delw_re);
        }
      }
    }
  }
}
