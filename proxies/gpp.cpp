// GPP, here in a small form for CPUs, is the self-energy of BerkeleyGW's general plasmon pole model. The number of energies nw sets the
// arithmetic intensity (Yang, Kurth, Williams 2019, III.A).
#include <complex>

#include "core/kernel_data.hpp"
#include "gpp.flavors.hpp"
#include "proxies/gpp_loop.hpp"

namespace plumbline {
namespace {

/// The two parts of a complex array.
template <class Real>
struct ComplexArray {
  ComplexArray(std::size_t size, std::pmr::memory_resource& memory) : re(size, memory), im(size, memory) {}
  Complex<const Real*> view() const { return {re.data(), im.data()}; }
  std::complex<long double> at(std::size_t i) const { return {static_cast<long double>(re[i]), static_cast<long double>(im[i])}; }
  Array<Real> re, im;
};

template <class Real>
class GppCase final : public KernelData<Gpp<Real>> {
 public:
  static Work model(const Parameters& p, std::string_view) {
    const std::uint64_t nbands = p.integer("nbands"), ngpown = p.integer("ngpown"), ncouls = p.integer("ncouls"), nw = p.integer("nw");
    const std::uint64_t real = sizeof(Real), outer = nbands * ngpown * ncouls, inner = outer * nw;
    // aqsn eps: 4 products, 2 sums. At each energy: wdiff 0, 2; |wdiff|^2 2, 1 and a division; wtilde conj(wdiff) 4, 2; its
    // weight 2, 0; the product with the matrix 4, 2; and two sums.
    Work work{
        .flops = {{flops<Real>("add"), 2 * outer + 9 * inner}, {flops<Real>("mul"), 4 * outer + 12 * inner}, {flops<Real>("div"), inner}},
        .streams = {}};
    // One row of each ngpown x ncouls array is swept again by every band, all of aqsn by every row.
    const std::uint64_t row = ncouls * real, band = 6 * row + 4 * nw * real, all_bands = (4 + 2 * nbands) * row + 4 * nw * real;
    for (const char* array : {"wtilde.re", "wtilde.im", "eps.re", "eps.im"})
      work.streams.push_back({.array = array,
                              .footprint_bytes = ngpown * row,
                              .read = true,
                              .loads = outer,
                              .element_bytes = real,
                              .layers = {{.reuse_bytes = band, .fetched_bytes = nbands * ngpown * row}}});
    for (const char* array : {"aqsn.re", "aqsn.im"})
      work.streams.push_back({.array = array,
                              .footprint_bytes = nbands * row,
                              .read = true,
                              .loads = outer,
                              .element_bytes = real,
                              .layers = {{.reuse_bytes = all_bands, .fetched_bytes = ngpown * nbands * row}},
                              .shared = true});
    for (const char* array : {"wx.re", "wx.im"})
      work.streams.push_back({.array = array,
                              .footprint_bytes = nw * real,
                              .read = true,
                              .loads = inner,
                              .element_bytes = real,
                              .layers = {{.reuse_bytes = 4 * nw * real + 6 * 64, .fetched_bytes = outer * nw * real}},
                              .shared = true});
    for (const char* array : {"ach.re", "ach.im"}) {
      work.streams.push_back(
          {.array = array, .footprint_bytes = ngpown * nw * real, .written = true, .stores = ngpown * nw, .element_bytes = real});
      work.streams.push_back({.array = std::string(array) + ", accumulated",
                              .read = true,
                              .written = true,
                              .loads = inner,
                              .stores = inner,
                              .element_bytes = real,
                              .layers = {{.reuse_bytes = 4 * nw * real + 6 * 64, .fetched_bytes = outer * nw * real}}});
    }
    work.add_outer_loop(ngpown, all_bands);
    work.add_outer_loop(ngpown * nbands, band);
    return work;
  }

  GppCase(const Parameters& p, std::pmr::memory_resource& memory)
      : nbands_(p.integer("nbands")),
        ngpown_(p.integer("ngpown")),
        ncouls_(p.integer("ncouls")),
        nw_(p.integer("nw")),
        wtilde_(ngpown_ * ncouls_, memory),
        eps_(ngpown_ * ncouls_, memory),
        aqsn_(nbands_ * ncouls_, memory),
        wx_(nw_, memory),
        ach_(ngpown_ * nw_, memory) {
    arguments_ = {nbands_, ngpown_, ncouls_, nw_, wtilde_.view(), eps_.view(), aqsn_.view(), wx_.view(), {ach_.re.data(), ach_.im.data()}};
  }

  std::size_t extent() const override { return ngpown_; }
  void initialise(std::size_t begin, std::size_t end) override {
    fill(wtilde_, begin * ncouls_, end * ncouls_, 1, 0);
    fill(eps_, begin * ncouls_, end * ncouls_, 3, 0);
    for (std::size_t i = begin * nw_; i < end * nw_; ++i) ach_.re[i] = ach_.im[i] = Real(0.5);
    if (begin != 0) return;  // what all share belongs to the first
    fill(aqsn_, 0, aqsn_.re.size(), 5, 0);
    fill(wx_, 0, nw_, 7, 1.5);  // energies off the poles: |wdiff| > 1
  }

  /// The error relative to the sum of the contributions' magnitudes: they may cancel.
  double error() const override {
    LargestError largest;
    for (std::size_t igp = 0; igp < ngpown_; ++igp)
      for (std::size_t iw = 0; iw < nw_; ++iw) {
        std::complex<long double> sum = 0;
        long double magnitude = 0;
        for (std::size_t i = 0; i < nbands_ * ncouls_; ++i) {
          const std::complex<long double> wtilde = wtilde_.at(igp * ncouls_ + i % ncouls_), wdiff = wx_.at(iw) - wtilde;
          const auto term = aqsn_.at(i) * eps_.at(igp * ncouls_ + i % ncouls_) * wtilde / wdiff;
          sum += term;
          magnitude += std::abs(term);
        }
        largest.compare(ach_.re[igp * nw_ + iw], sum.real(), magnitude);
        largest.compare(ach_.im[igp * nw_ + iw], sum.imag(), magnitude);
      }
    return largest.value();
  }
  // The tolerance counts in units of one rounding, relative to moduli: wdiff 1; wtilde conj(wdiff) sqrt(5) (Brent, Percival, Zimmermann
  // 2007); its weight 2 for the squared modulus, twice wdiff's, the division, and the product with it: 6; the matrix sqrt(5), the product
  // with it sqrt(5). That is less than 14, and each contribution passes as many sums as there are, at most.
  double tolerance() const override { return rounding_bound<Real>(static_cast<double>(nbands_ * ncouls_) + 14); }

 private:
  void fill(ComplexArray<Real>& array, std::size_t begin, std::size_t end, std::uint64_t stream, double shift) {
    for (std::size_t i = begin; i < end; ++i) {
      array.re[i] = Real(varied(stream, i) + shift);
      array.im[i] = Real(varied(stream + 1, i));
    }
  }

  std::size_t nbands_, ngpown_, ncouls_, nw_;
  ComplexArray<Real> wtilde_, eps_, aqsn_, wx_, ach_;
  using KernelData<Gpp<Real>>::arguments_;
};

Parameters shape(std::int64_t nbands, std::int64_t ngpown, std::int64_t ncouls, std::int64_t nw) {
  return {{"nbands", nbands}, {"ngpown", ngpown}, {"ncouls", ncouls}, {"nw", nw}};
}

const Register<GppCase> registered{
    "proxies/gpp",
    "General plasmon pole self-energy, complex arithmetic written out (Yang, Kurth, Williams 2019)",
    {{.name = "nbands", .preset = std::int64_t{8}, .description = "bands", .max = 1 << 20},
     {.name = "ngpown", .preset = std::int64_t{16}, .description = "rows of the result, which the team divides", .max = 1 << 20},
     {.name = "ncouls", .preset = std::int64_t{1024}, .description = "plane waves", .max = 1 << 24},
     {.name = "nw", .preset = std::int64_t{3}, .description = "energies: the more, the higher the arithmetic intensity", .max = 1024}},
    gpp_flavors,
    {.edges = {shape(2, 3, 33, 4), shape(1, 2, 5, 9), shape(2, 1, 3, 67)},
     .caches = {shape(2, 2, 20, 2), shape(2, 4, 300, 2), shape(4, 8, 1500, 1), shape(3, 16, 3000, 2)}}};

}  // namespace
}  // namespace plumbline
