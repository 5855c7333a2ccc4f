// The general plasmon pole's parameters, arrays and the check of its result: the same for CPUs (gpp.cpp) and GPUs (gpp.cu).
#pragma once
#include <algorithm>
#include <array>
#include <cmath>

#include "core/kernel_data.hpp"
#include "proxies/gpp_arguments.hpp"

namespace plumbline {

inline constexpr std::array<std::pair<const char*, GppVariant>, 4> gpp_variants{
    {{"naive", GppVariant::naive}, {"vector", GppVariant::vector}, {"blocked", GppVariant::blocked}, {"nodivide", GppVariant::nodivide}}};

/// Each number of energies up to that has code of its own.
inline constexpr unsigned gpp_most_energies = 6;

/// The sizes of a case. `waves` and `bands` are those of a block: of 6 rows of 256 waves even an L1 holds enough, and of the 32 bands' rows
/// an L2.
struct GppShape {
  static constexpr std::uint64_t most_waves = 256, most_bands = 32;

  GppVariant variant;
  std::uint64_t nbands, ngpown, ncouls, nw, stride, waves, bands;

  explicit GppShape(const Parameters& p)
      : variant(variant_of(p.word("variant"))),
        nbands(p.integer("nbands")),
        ngpown(p.integer("ngpown")),
        ncouls(p.integer("ncouls")),
        nw(p.integer("nw")),
        stride(p.integer("stride")),
        waves(is_blocked() ? std::min(ncouls, most_waves) : ncouls),
        bands(is_blocked() ? std::min(nbands, most_bands) : nbands) {}

  bool is_blocked() const { return variant == GppVariant::blocked || variant == GppVariant::nodivide; }
  std::uint64_t wave_blocks() const { return (ncouls + waves - 1) / waves; }
  std::uint64_t band_blocks() const { return (nbands + bands - 1) / bands; }
  /// The naive form passes a row once for each energy.
  std::uint64_t passes() const { return variant == GppVariant::naive ? nw : 1; }
  std::uint64_t meetings() const { return nbands * ngpown * ncouls; }

  /// The waves of the block that begins at `first`.
  std::uint64_t waves_from(std::uint64_t first) const { return std::min(waves, ncouls - first); }
  /// The place of a row of the block of waves that begins at `first`, in an array of so many rows: all rows of a block lie together, then
  /// those of the next (gpp_arguments.hpp).
  std::size_t element(std::uint64_t rows, std::uint64_t row, std::uint64_t first) const {
    return (first * rows + row * waves_from(first)) * stride;
  }

 private:
  static GppVariant variant_of(const std::string& word) {
    return std::find_if(gpp_variants.begin(), gpp_variants.end(), [&](const auto& v) { return v.first == word; })->second;
  }
};

/// The FLOPs of all meetings of a band and a pole, up to the sums that each part of an energy gains. A division is one. aqsn eps takes 4
/// products and 2 sums. At each energy: wdiff 0, 2; |wdiff|^2 2, 1; wtilde conj(wdiff) 4, 2, divided by that twice, or by a division and 2
/// products; the product with the matrix 4, 2; and 2 sums. |delw|^2, by which a pole is asked whether it is far, 2, 1.
template <class Real>
Counts gpp_flops(const GppShape& s) {
  const std::uint64_t meetings = s.meetings(), at_energies = meetings * s.nw;
  std::uint64_t add = 9, mul = 10, div = 2;
  if (s.variant == GppVariant::naive) add = 10, mul = 12;
  if (s.variant == GppVariant::nodivide) mul = 12, div = 1;
  return {{flops<Real>("add"), 2 * s.passes() * meetings + add * at_energies},
          {flops<Real>("mul"), 4 * s.passes() * meetings + mul * at_energies},
          {flops<Real>("div"), div * at_energies}};
}
/// The roundings of a contribution as written, less than that, in units of one and relative to moduli: wdiff 1; wtilde conj(wdiff) sqrt(5)
/// (Brent, Percival, Zimmermann 2007); its weight 2 for the squared modulus, twice wdiff's, the division, and the product with it: 6; the
/// matrix sqrt(5), the product with it sqrt(5).
inline constexpr std::uint64_t gpp_roundings = 14;

/// An array that begins at a multiple of the largest stride, in bytes: which sets of a cache a stride crowds hangs on nothing else.
template <class Real, template <class> class ArrayOf>
class StridedArray {
 public:
  StridedArray(std::size_t size, typename ArrayOf<Real>::Memory& memory)
      : elements_(size + largest_stride, memory),
        first_((alignment - reinterpret_cast<std::uintptr_t>(elements_.data()) % alignment) % alignment / sizeof(Real)) {}
  Real* data() { return elements_.data() + first_; }
  /// Sets the elements [begin, end) to value(i).
  template <class Value>
  void fill(std::size_t begin, std::size_t end, Value value) {
    elements_.fill(first_ + begin, first_ + end, [&](std::size_t i) { return value(i - first_); });
  }
  /// Calls see(i, element) for each i of [begin, end), in order.
  template <class See>
  void read(std::size_t begin, std::size_t end, See see) const {
    elements_.read(first_ + begin, first_ + end, [&](std::size_t i, const Real& element) { see(i - first_, element); });
  }

 private:
  static constexpr std::size_t largest_stride = 32, alignment = largest_stride * sizeof(Real);
  ArrayOf<Real> elements_;
  std::size_t first_;
};

/// The two parts of a complex array.
template <class Real, template <class> class ArrayOf>
struct ComplexArray {
  ComplexArray(std::size_t size, typename ArrayOf<Real>::Memory& memory) : re(size, memory), im(size, memory) {}
  Complex<Real*> view() { return {re.data(), im.data()}; }
  Complex<const Real*> const_view() { return {re.data(), im.data()}; }
  StridedArray<Real, ArrayOf> re, im;
};

/// Arrays of a case, and the arguments of its Loop as far as they are Gpp's.
template <class Real, template <class> class ArrayOf, template <class> class Loop = Gpp>
class GppData : public KernelData<Loop<Real>> {
 public:
  using Memory = typename ArrayOf<Real>::Memory;

  GppData(const Parameters& p, Memory& memory)
      : shape_(p),
        wtilde_(shape_.ngpown * shape_.ncouls * shape_.stride, memory),
        eps_(shape_.ngpown * shape_.ncouls * shape_.stride, memory),
        aqsn_(shape_.nbands * shape_.ncouls * shape_.stride, memory),
        wx_(shape_.nbands * shape_.nw, memory),
        ach_(shape_.ngpown * ach_pitch, memory) {
    const Real limit_one = Real(250000), limit_two = Real(1e-12);  // BerkeleyGW's: 1 / (4 TOL_Small), TOL_Small^2
    static_cast<Gpp<Real>&>(this->arguments_) = {shape_.variant,    shape_.nbands,      shape_.ngpown,    shape_.ncouls,
                                                 shape_.nw,         shape_.stride,      shape_.waves,     shape_.bands,
                                                 ach_pitch,         limit_one,          limit_two,        wtilde_.const_view(),
                                                 eps_.const_view(), aqsn_.const_view(), wx_.const_view(), ach_.view()};
  }

  std::size_t extent() const override { return shape_.ngpown; }
  void initialise(std::size_t begin, std::size_t end) override {
    fill_rows(wtilde_, shape_.ngpown, begin, end, 1);
    fill_rows(eps_, shape_.ngpown, begin, end, 3);
    for (auto* part : {&ach_.re, &ach_.im}) part->fill(begin * ach_pitch, end * ach_pitch, [](std::size_t) { return Real(0.5); });
    if (begin != 0) return;  // what all share belongs to the first
    fill_rows(aqsn_, shape_.nbands, 0, shape_.nbands, 5);
    wx_.re.fill(0, shape_.nbands * shape_.nw, real_energy);
    wx_.im.fill(0, shape_.nbands * shape_.nw, [](std::size_t i) { return Real(varied(8, i)); });
  }

  /// The error, relative to the sum of the contributions' magnitudes (they may cancel), of as many results as 2^24 contributions allow,
  /// always those of the last row.
  double error() const override {
    LargestError largest;
    const std::uint64_t step = std::max<std::uint64_t>(1, shape_.meetings() * shape_.nw >> 24), results = shape_.ngpown * shape_.nw;
    for (std::uint64_t result = 0; result < results; ++result)
      if (result % step == 0 || result + shape_.nw >= results) compare(largest, result / shape_.nw, result % shape_.nw);
    return largest.value();
  }

 protected:
  static constexpr std::size_t ach_pitch = 64 / sizeof(Real);
  const GppShape& shape() const { return shape_; }

 private:
  using Rows = ComplexArray<Real, ArrayOf>;

  /// A value hangs on its row and wave alone, so that all variants and strides compute the same.
  void fill_rows(Rows& array, std::uint64_t rows, std::uint64_t begin, std::uint64_t end, std::uint64_t stream) {
    for (std::uint64_t first = 0; first < shape_.ncouls; first += shape_.waves) {
      const std::uint64_t waves = shape_.waves_from(first), from = first * rows;
      const auto value = [&](std::uint64_t of) {
        return [=, this](std::size_t i) {
          const std::uint64_t place = i / shape_.stride - from;
          return Real(varied(of, place / waves * shape_.ncouls + first + place % waves));
        };
      };
      const std::size_t begins = shape_.element(rows, begin, first), ends = shape_.element(rows, end, first);
      array.re.fill(begins, ends, value(stream));
      array.im.fill(begins, ends, value(stream + 1));
    }
  }
  /// The energies are off the poles, |wdiff| > 1: no branch is for nothing, and whoever computes both of its sides does the same FLOPs.
  static Real real_energy(std::size_t i) { return Real(varied(7, i) + 1.5); }

  void compare(LargestError& largest, std::uint64_t igp, std::uint64_t iw) const {
    Complex<long double> sum{0, 0};
    long double magnitude = 0;
    for (std::uint64_t band = 0; band < shape_.nbands; ++band) {
      const std::size_t energy = band * shape_.nw + iw;
      const Complex<long double> wx{static_cast<long double>(real_energy(energy)), given<Real>(8, energy)};
      for (std::uint64_t wave = 0; wave < shape_.ncouls; ++wave) {
        const std::uint64_t pole = igp * shape_.ncouls + wave;
        const Complex<long double> w = given_at(1, pole),
                                   term = contribution(w, given_at(3, pole), given_at(5, band * shape_.ncouls + wave),
                                                       {wx.re - w.re, wx.im - w.im});
        sum = {sum.re + term.re, sum.im + term.im};
        magnitude += std::sqrt(term.re * term.re + term.im * term.im);  // of numbers near 1
      }
    }
    const std::size_t place = igp * ach_pitch + iw;
    ach_.re.read(place, place + 1, [&](std::size_t, const Real& re) { largest.compare(re, sum.re, magnitude); });
    ach_.im.read(place, place + 1, [&](std::size_t, const Real& im) { largest.compare(im, sum.im, magnitude); });
  }
  static Complex<long double> given_at(std::uint64_t stream, std::uint64_t i) {
    return {given<Real>(stream, i), given<Real>(stream + 1, i)};
  }
  static Complex<long double> product(Complex<long double> x, Complex<long double> y) {
    return {x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};
  }
  static Complex<long double> contribution(Complex<long double> wtilde, Complex<long double> eps, Complex<long double> aqsn,
                                           Complex<long double> wdiff) {
    const long double norm = wdiff.re * wdiff.re + wdiff.im * wdiff.im;
    return product(product(aqsn, eps), product(wtilde, {wdiff.re / norm, -wdiff.im / norm}));
  }

  GppShape shape_;
  Rows wtilde_, eps_, aqsn_, wx_, ach_;
};

struct GppSizes {
  std::int64_t nbands, ngpown, ncouls, nw, stride = 1;
};
/// Each variant at each of the sizes.
inline std::vector<Parameters> gpp_by_variant(std::initializer_list<const char*> words, std::initializer_list<GppSizes> all) {
  std::vector<Parameters> sets;
  for (const char* word : words)
    for (const GppSizes& s : all)
      sets.push_back({{"variant", std::string(word)},
                      {"nbands", s.nbands},
                      {"ngpown", s.ngpown},
                      {"ncouls", s.ncouls},
                      {"nw", s.nw},
                      {"stride", s.stride}});
  return sets;
}

inline KernelFacts gpp_facts(ProofSizes proof) {
  return {"proxies/gpp",
          "General plasmon pole self-energy, complex arithmetic written out (Yang, Kurth, Williams 2019)",
          {{.name = "variant",
            .preset = std::string("nodivide"),
            .description =
                "steps of optimization: branches at every pole and energy; reordered for vectors; in blocks; one division instead of two",
            .choices = {"naive", "vector", "blocked", "nodivide"}},
           {.name = "nbands", .preset = std::int64_t{8}, .description = "bands", .max = 1 << 16},
           {.name = "ngpown", .preset = std::int64_t{16}, .description = "rows of the result, which the team divides", .max = 1 << 16},
           {.name = "ncouls", .preset = std::int64_t{1024}, .description = "plane waves visited in a row", .max = 1 << 24},
           {.name = "nw",
            .preset = std::int64_t{3},
            .description = "energies: the more, the higher the arithmetic intensity",
            .max = gpp_most_energies},
           {.name = "stride",
            .preset = std::int64_t{1},
            .description = "elements from one plane wave to the next in rows so much longer",
            .max = 32}},
          std::move(proof)};
}

}  // namespace plumbline
