// The general plasmon pole of gpp.cpp on GPUs. The sums of a block of bands and of plane waves, of one row, are a block's of threads: each
// thread takes every 256th plane wave, and keeps the pole and the sums of all energies in registers. A second kernel adds up what the
// blocks have of a row. No sum hangs on an order in which blocks ran.
//   naive      a block of threads a band and energy, as a row is passed once for each energy
//   vector     a block a band: the energies share what is loaded and computed of a pole
//   blocked    a block for 32 bands and 256 plane waves: a pole is loaded once for 32 bands, and all rows of a block pass in turn
//   nodivide   likewise
#include <limits>
#include <stdexcept>
#include <vector>

#include "cuda/newton.cuh"
#include "cuda/register.cuh"
#include "proxies/gpp.hpp"

namespace plumbline {
namespace {

using cuda::block_threads, cuda::fused, cuda::plus, cuda::times;

/// Each thread's sums are added up in strips, and then those.
constexpr unsigned strips = 16, strip = block_threads / strips;
/// The additions that make one sum of a block's.
constexpr std::uint64_t block_sums = strips * (strip - 1) + strips - 1;

/// The parts of a row, each a block of threads for all energies or, in the naive form, for one.
struct GppParts {
  std::uint64_t waves, bands, energies, of_waves, of_bands, of_energies;

  explicit GppParts(const GppShape& s)
      : waves(s.waves),
        bands(s.is_blocked() ? s.bands : 1),
        energies(s.nw / s.passes()),
        of_waves(s.wave_blocks()),
        of_bands((s.nbands + bands - 1) / bands),
        of_energies(s.passes()) {
    if (s.ngpown * sums() * of_energies > std::numeric_limits<std::int32_t>::max())
      throw std::invalid_argument(
          "proxies/gpp has " + std::to_string(s.ngpown * sums() * of_energies) +
          " blocks of threads, one for each row and block of bands and plane waves, and a GPU launches no more than "
          "2147483647: take fewer rows or bands, or variant=nodivide");
  }
  /// The partial sums of a row and energy.
  std::uint64_t sums() const { return of_waves * of_bands; }
};

template <class Real>
struct GppInParts : Gpp<Real> {
  Complex<Real*> partial;  // ngpown rows of nw, of `sums` each
  unsigned bands, energies, of_waves, of_bands, of_energies, sums;
  bool rows_in_turn;  // before the next part
};

/// The part of a row that a block of threads sums.
struct GppPart {
  unsigned waves, bands;
  std::size_t pole, element, energy;  // the first of each in its arrays
  std::size_t sum;                    // and in partial
};

/// The part of block number `block` in a launch over `rows` rows from `begin` on. Neighbours in time are the bands and energies of a row
/// or, in blocks, the rows.
template <class Real>
PLUMBLINE_BOTH GppPart part_of(const GppInParts<Real>& x, std::size_t begin, unsigned rows, unsigned block) {
  const unsigned inner = x.rows_in_turn ? rows : x.of_energies * x.sums, within = block % inner, around = block / inner;
  const unsigned part = x.rows_in_turn ? around : within, energy = part % x.of_energies, sum = part / x.of_energies;
  const unsigned first_wave = sum / x.of_bands * static_cast<unsigned>(x.block_waves), first_band = sum % x.of_bands * x.bands;
  const std::size_t row = begin + (x.rows_in_turn ? within : around);
  const unsigned waves_left = static_cast<unsigned>(x.ncouls) - first_wave, bands_left = static_cast<unsigned>(x.nbands) - first_band;
  const unsigned waves = waves_left < x.block_waves ? waves_left : static_cast<unsigned>(x.block_waves);
  return {waves,
          bands_left < x.bands ? bands_left : x.bands,
          (first_wave * x.ngpown + row * waves) * x.stride,
          (first_wave * x.nbands + std::size_t{first_band} * waves) * x.stride,
          std::size_t{first_band} * x.nw + energy,
          (row * x.nw + energy) * x.sums + sum};
}

/// The sums of a thread: re and im of each energy in turn.
template <unsigned energies, class Real>
struct GppSums {
  Real of[2 * energies];
};

#pragma nv_exec_check_disable
template <class Real>
PLUMBLINE_BOTH Complex<Real> number_at(const Complex<const Real*>& array, std::size_t i) {
  return {array.re[i], array.im[i]};
}

/// The value of wtilde conj(wdiff) / |wdiff|^2.
#pragma nv_exec_check_disable
template <GppVariant variant, class Real>
PLUMBLINE_BOTH Complex<Real> delw_of(const Complex<Real>& wtilde, const Complex<Real>& wdiff, Real norm) {
  const Real re = fused(wtilde.re, wdiff.re, times(wtilde.im, wdiff.im)), im = fused(wtilde.im, wdiff.re, -times(wtilde.re, wdiff.im));
  const Real weight = cuda::reciprocal(norm);
  if constexpr (variant == GppVariant::nodivide) return {times(re, weight), times(im, weight)};
  return {cuda::quotient_by(re, norm, weight), cuda::quotient_by(im, norm, weight)};
}

/// Two sums gain a pole's contribution at an energy, by four FMAs.
#pragma nv_exec_check_disable
template <GppVariant variant, class Real>
PLUMBLINE_BOTH void gain_pole(Real& re, Real& im, const Gpp<Real>& x, const Complex<Real>& wtilde, const Complex<Real>& matrix,
                              const Complex<Real>& wx) {
  const Complex<Real> wdiff{plus(wx.re, -wtilde.re), plus(wx.im, -wtilde.im)};
  const Real norm = fused(wdiff.re, wdiff.re, times(wdiff.im, wdiff.im));
  const Complex<Real> delw = delw_of<variant>(wtilde, wdiff, norm);
  if constexpr (variant == GppVariant::naive)
    if (!(norm > x.limit_two && fused(delw.re, delw.re, times(delw.im, delw.im)) < x.limit_one)) return;
  re = fused(-matrix.im, delw.im, fused(matrix.re, delw.re, re));
  im = fused(matrix.im, delw.re, fused(matrix.re, delw.im, im));
}

/// Sums of a thread: its plane waves by all bands of the part. `wx` are the energies of these bands.
#pragma nv_exec_check_disable
template <GppVariant variant, unsigned energies, class Real>
PLUMBLINE_BOTH GppSums<energies, Real> sum_waves(const GppInParts<Real>& x, const GppPart& part, const Complex<Real>* wx, unsigned thread) {
  const std::size_t apart = part.waves * x.stride;  // a band from the next
  GppSums<energies, Real> sums;
#pragma unroll
  for (Real& sum : sums.of) sum = Real(0);
#pragma unroll 1
  for (unsigned wave = thread; wave < part.waves; wave += block_threads) {
    const std::size_t place = std::size_t{wave} * x.stride;
    const Complex<Real> wtilde = number_at(x.wtilde, part.pole + place), eps = number_at(x.eps, part.pole + place);
    Complex<const Real*> row{x.aqsn.re + part.element + place, x.aqsn.im + part.element + place};
    unsigned band = 0;
#pragma unroll 1
    do {
      const Complex<Real> aqsn = number_at(row, 0);
      const Complex<Real> matrix{fused(aqsn.re, eps.re, -times(aqsn.im, eps.im)), fused(aqsn.re, eps.im, times(aqsn.im, eps.re))};
#pragma unroll
      for (unsigned k = 0; k < energies; ++k)
        gain_pole<variant>(sums.of[2 * k], sums.of[2 * k + 1], x, wtilde, matrix, wx[band * energies + k]);
      row.re += apart, row.im += apart;
    } while (++band < part.bands);
  }
  return sums;
}

/// Sums of a thread: what every 256th block has of a row, whose partial sums begin at `first`.
#pragma nv_exec_check_disable
template <unsigned energies, class Real>
PLUMBLINE_BOTH GppSums<energies, Real> sum_parts(const GppInParts<Real>& x, std::size_t first, unsigned thread) {
  GppSums<energies, Real> sums;
#pragma unroll
  for (Real& sum : sums.of) sum = Real(0);
#pragma unroll 1
  for (unsigned part = thread; part < x.sums; part += block_threads)
#pragma unroll
    for (unsigned k = 0; k < energies; ++k) {
      sums.of[2 * k] = plus(sums.of[2 * k], x.partial.re[first + k * x.sums + part]);
      sums.of[2 * k + 1] = plus(sums.of[2 * k + 1], x.partial.im[first + k * x.sums + part]);
    }
  return sums;
}

/// The sum of `count` numbers that lie so far apart.
#pragma nv_exec_check_disable
template <unsigned count, unsigned apart, class Real>
PLUMBLINE_BOTH Real sum_of(const Real* numbers) {
  Real sum = numbers[0];
#pragma unroll
  for (unsigned i = 1; i < count; ++i) sum = plus(sum, numbers[i * apart]);
  return sum;
}

/// The sums of a block of threads go through this memory: each thread's, and those of strips of threads.
template <unsigned energies, class Real>
struct GppPassed {
  Real of_threads[2 * energies * block_threads], of_strips[2 * energies * strips];

#pragma nv_exec_check_disable
  PLUMBLINE_BOTH void take(const GppSums<energies, Real>& sums, unsigned thread) {
#pragma unroll
    for (unsigned k = 0; k < 2 * energies; ++k) of_threads[k * block_threads + thread] = sums.of[k];
  }
#pragma nv_exec_check_disable
  PLUMBLINE_BOTH void sum_strip(unsigned i) { of_strips[i] = sum_of<strip, strips>(of_threads + i / strips * block_threads + i % strips); }
  /// Gives the sums away, `pitch` elements from one energy to the next.
#pragma nv_exec_check_disable
  PLUMBLINE_BOTH void give(unsigned i, const Complex<Real*>& to, std::size_t first, std::size_t pitch) const {
    Real* const part = i % 2 == 0 ? to.re : to.im;
    part[first + i / 2 * pitch] = sum_of<strips, 1>(of_strips + i * strips);
  }
};

/// Adds up the sums of a block's threads. How many they are is told at run time, so that these remain loops in the machine code, whose
/// trips are known.
template <unsigned energies, class Real>
__device__ void add_up(GppPassed<energies, Real>& passed, const GppSums<energies, Real>& sums, unsigned count, const Complex<Real*>& to,
                       std::size_t first, std::size_t pitch) {
  passed.take(sums, threadIdx.x);
  __syncthreads();
#pragma unroll 1
  for (unsigned i = threadIdx.x; i < count * strips; i += block_threads) passed.sum_strip(i);
  __syncthreads();
#pragma unroll 1
  for (unsigned i = threadIdx.x; i < count; i += block_threads) passed.give(i, to, first, pitch);
}

template <unsigned energies, class Real>
void add_up_on_host(GppPassed<energies, Real>& passed, const Complex<Real*>& to, std::size_t first, std::size_t pitch) {
  for (unsigned i = 0; i < 2 * energies * strips; ++i) passed.sum_strip(i);
  for (unsigned i = 0; i < 2 * energies; ++i) passed.give(i, to, first, pitch);
}

template <GppVariant variant, unsigned energies, class Real>
__global__ void __launch_bounds__(block_threads, 2) sum_each_part(const GppInParts<Real> x, std::size_t begin, unsigned rows) {
  __shared__ GppPassed<energies, Real> passed;
  __shared__ alignas(2 * sizeof(Real)) Complex<Real> wx[GppShape::most_bands * energies];
  const GppPart part = part_of(x, begin, rows, blockIdx.x);
#pragma unroll 1
  for (unsigned i = threadIdx.x; i < part.bands * x.energies; i += block_threads) wx[i] = number_at(x.wx, part.energy + i);
  __syncthreads();
  const auto sums = sum_waves<variant, energies>(x, part, wx, threadIdx.x);
  add_up(passed, sums, 2 * x.energies, x.partial, part.sum, x.sums);
}

template <unsigned energies, class Real>
__global__ void __launch_bounds__(block_threads) sum_each_row(const GppInParts<Real> x, std::size_t begin) {
  __shared__ GppPassed<energies, Real> passed;
  const std::size_t row = begin + blockIdx.x;
  const auto sums = sum_parts<energies>(x, row * x.nw * x.sums, threadIdx.x);
  add_up(passed, sums, 2 * static_cast<unsigned>(x.nw), x.ach, row * x.ach_pitch, 1);
}

/// Gives act<energies>() for that number of them.
template <unsigned most = gpp_most_energies, class Act>
void with_energies(std::size_t energies, Act act) {
  if (energies == most)
    act.template operator()<most>();
  else if constexpr (most > 1)
    with_energies<most - 1>(energies, act);
}
/// Gives act<variant, energies>() for a case's. To blocks of threads vector and blocked are the same, whose parts are not.
template <class Real, class Act>
void with_variant(const GppInParts<Real>& x, Act act) {
  if (x.variant == GppVariant::naive)
    act.template operator()<GppVariant::naive, 1>();
  else if (x.variant == GppVariant::nodivide)
    with_energies(x.nw, [&]<unsigned energies>() { act.template operator()<GppVariant::nodivide, energies>(); });
  else
    with_energies(x.nw, [&]<unsigned energies>() { act.template operator()<GppVariant::vector, energies>(); });
}

/// The streams of a case by sectors. How many blocks run at once, and so share what a cache fetched, is the GPU's choice: it surely is
/// fetched once only where all the data stay.
template <class Real>
class GppSectors {
 public:
  explicit GppSectors(const GppShape& s) : s_(s), parts_(s), all_(2 * (2 * visited(s.ngpown) + visited(s.nbands) + partial())) {}

  std::vector<Stream> streams() const {
    const std::uint64_t poles = parts_.of_bands * parts_.of_energies, bands = s_.ngpown * parts_.of_energies;
    std::vector<Stream> all;
    for (const char* array : {"wtilde.re", "wtilde.im", "eps.re", "eps.im"}) all.push_back(rows(array, s_.ngpown, poles));
    for (const char* array : {"aqsn.re", "aqsn.im"}) all.push_back(rows(array, s_.nbands, bands));
    for (const char* array : {"wx.re", "wx.im"}) all.push_back(energies(array));
    for (const char* array : {"partial.re", "partial.im"}) add_partial(all, array);
    for (const char* array : {"ach.re", "ach.im"})
      all.push_back({.array = array,
                     .footprint_bytes = s_.ngpown * ((s_.nw * real + sector - 1) / sector * sector),
                     .written = true,
                     .stores = s_.ngpown * s_.nw,
                     .element_bytes = real,
                     .straddles = 2 * s_.ngpown});
    add_scratchpads(all);
    return all;
  }

 private:
  static constexpr std::uint64_t real = sizeof(Real), sector = 32, warp = 32;

  std::uint64_t visited(std::uint64_t rows) const { return rows * s_.ncouls * std::min(s_.stride * real, sector); }
  std::uint64_t partial_sums() const { return s_.ngpown * s_.nw * parts_.sums(); }
  std::uint64_t partial() const { return partial_sums() * real; }

  /// The stream of `count` rows, each of which `times` blocks pass. Where a row begins within a sector, so does each warp's piece of it.
  Stream rows(const char* array, std::uint64_t count, std::uint64_t times) const {
    const bool within = s_.ncouls * s_.stride * real % sector != 0 && s_.stride * real < sector;
    const std::uint64_t warps = count * (s_.ncouls / s_.waves * ((s_.waves + warp - 1) / warp) + (s_.ncouls % s_.waves + warp - 1) / warp);
    return {.array = array,
            .footprint_bytes = visited(count),
            .read = true,
            .loads = times * count * s_.ncouls,
            .element_bytes = real,
            .layers = {{.reuse_bytes = all_, .fetched_bytes = times * visited(count), .upper_bound = true}},
            .straddles = within ? 2 * times * warps : 0};
  }
  Stream energies(const char* array) const {
    const std::uint64_t passed = s_.ngpown * s_.nbands * s_.nw * parts_.of_waves;
    return {.array = array,
            .footprint_bytes = s_.nbands * s_.nw * real,
            .read = true,
            .loads = passed,
            .element_bytes = real,
            .layers = {{.reuse_bytes = all_, .fetched_bytes = passed * real, .upper_bound = true}},
            .straddles = 2 * s_.ngpown * parts_.sums() * parts_.of_energies};  // a block's may begin and end within one
  }
  void add_partial(std::vector<Stream>& all, const std::string& array) const {
    all.push_back({.array = array,
                   .footprint_bytes = partial(),
                   .written = true,
                   .stores = partial_sums(),
                   .element_bytes = real,
                   .straddles = partial_sums()});  // a block stores one of each
    all.push_back({.array = array + ", added up",
                   .read = true,
                   .loads = partial_sums(),
                   .element_bytes = real,
                   .layers = {{.reuse_bytes = all_, .fetched_bytes = partial(), .upper_bound = true}},
                   .straddles = 2 * (partial_sums() / warp + s_.ngpown * s_.nw)});
  }
  void add_scratchpads(std::vector<Stream>& all) const {
    const std::uint64_t taken = s_.ngpown * s_.nbands * s_.nw * parts_.of_waves, sums = 2 * (partial_sums() + s_.ngpown * s_.nw);
    all.push_back(
        {.array = "wx of a block", .loads = 2 * s_.meetings() * s_.nw, .stores = 2 * taken, .element_bytes = real, .scratchpad = true});
    all.push_back({.array = "sums of threads and strips",
                   .loads = sums * (block_threads + strips),
                   .stores = sums * (block_threads + strips),
                   .element_bytes = real,
                   .scratchpad = true});
  }

  GppShape s_;
  GppParts parts_;
  std::uint64_t all_;
};

template <class Real>
class GppCase final : public GppData<Real, DeviceArray, GppInParts> {
  using Base = GppData<Real, DeviceArray, GppInParts>;

 public:
  /// A division is Newton steps here, and a product and a sum are an FMA wherever one is added to the other. By convention (paper.flops)
  /// all that meets a pole is as on CPUs, a division one operation; only the additions are others by which sums come together.
  static Work model(const Parameters& p, std::string_view) {
    const GppShape s(p);
    const GppParts parts(s);
    const std::uint64_t at_energies = s.meetings() * s.nw, matrices = s.passes() * s.meetings();
    const std::uint64_t sums = 2 * s.nw * s.ngpown * ((parts.sums() + 1) * block_sums + parts.sums());
    // |wdiff|^2 1 product and 1 FMA; wtilde conj(wdiff) 2 and 2; 4 FMAs to gain the product with the matrix; |delw|^2 1 and 1.
    std::uint64_t mul = 3, fma = 7;
    if (s.variant == GppVariant::naive) mul += 1, fma += 1;
    // A reciprocal, and a product with it for each part of delw, which a quotient corrects.
    mul += 2, fma += cuda::reciprocal_fmas<Real>;
    if (s.variant != GppVariant::nodivide) fma += 2 * cuda::quotient_fmas;
    Work work{.flops = {{flops<Real>("add"), 2 * at_energies + sums},
                        {flops<Real>("mul"), 2 * matrices + mul * at_energies},
                        {flops<Real>("fma"), 2 * matrices + fma * at_energies}},
              .streams = GppSectors<Real>(s).streams()};
    const Counts convention = gpp_flops<Real>(s);
    work.paper = {{"paper.flops", total_flops(convention) + Amount(sums)}};
    work.note = std::to_string(convention.at(flops<Real>("div")).lo) +
                " divisions, one operation each by convention (paper.flops), are Newton steps by FMAs";
    return work;
  }

  GppCase(const Parameters& p, DeviceMemory& memory)
      : Base(p, memory), parts_(this->shape()), partial_(this->shape().ngpown * this->shape().nw * parts_.sums(), memory) {
    auto& x = this->arguments_;
    x.partial = partial_.view();
    x.bands = static_cast<unsigned>(parts_.bands), x.energies = static_cast<unsigned>(parts_.energies);
    x.of_waves = static_cast<unsigned>(parts_.of_waves), x.of_bands = static_cast<unsigned>(parts_.of_bands);
    x.of_energies = static_cast<unsigned>(parts_.of_energies), x.sums = static_cast<unsigned>(parts_.sums());
    x.rows_in_turn = this->shape().is_blocked();
  }

  static void launch(const GppInParts<Real>& x, std::size_t begin, std::size_t end) {
    const auto rows = static_cast<unsigned>(end - begin), blocks = rows * x.sums * x.of_energies;
    const std::uint64_t passing = std::uint64_t{rows} * x.ncouls * x.of_energies, results = 2 * std::uint64_t{x.energies} * blocks;
    with_variant(x, [&]<GppVariant variant, unsigned energies>() {
      cuda::next_launch_in_all(std::uint64_t{blocks} * block_threads,
                               {rows * x.nbands * x.nw * x.of_waves, passing * x.of_bands, passing * x.nbands, results * strips, results},
                               true);
      sum_each_part<variant, energies><<<blocks, block_threads, 0, cuda::stream()>>>(x, begin, rows);
    });
    with_energies(x.nw, [&]<unsigned energies>() {
      const std::uint64_t of_rows = 2 * std::uint64_t{rows} * energies;
      cuda::next_launch_in_all(std::uint64_t{rows} * block_threads, {std::uint64_t{rows} * x.sums, of_rows * strips, of_rows}, true);
      sum_each_row<energies><<<rows, block_threads, 0, cuda::stream()>>>(x, begin);
    });
  }
  static void on_host(const GppInParts<Real>& x, std::size_t begin, std::size_t end) {
    const auto rows = static_cast<unsigned>(end - begin);
    with_variant(x, [&]<GppVariant variant, unsigned energies>() {
      GppPassed<energies, Real> passed;
      std::vector<Complex<Real>> wx(GppShape::most_bands * energies);
      for (unsigned block = 0; block < rows * x.sums * x.of_energies; ++block) {
        const GppPart part = part_of(x, begin, rows, block);
        for (unsigned i = 0; i < part.bands * energies; ++i) wx[i] = number_at(x.wx, part.energy + i);
        for (unsigned thread = 0; thread < block_threads; ++thread)
          passed.take(sum_waves<variant, energies>(x, part, wx.data(), thread), thread);
        add_up_on_host(passed, x.partial, part.sum, x.sums);
      }
    });
    with_energies(x.nw, [&]<unsigned energies>() {
      GppPassed<energies, Real> passed;
      for (std::size_t row = begin; row < end; ++row) {
        for (unsigned thread = 0; thread < block_threads; ++thread)
          passed.take(sum_parts<energies>(x, row * x.nw * x.sums, thread), thread);
        add_up_on_host(passed, x.ach, row * x.ach_pitch, 1);
      }
    });
  }

  /// Each contribution is two FMAs to a thread's sum, and passes those of its block and of its row. A division of Newton steps may have
  /// one rounding more.
  double tolerance() const override {
    const std::uint64_t of_thread = 2 * parts_.bands * cuda::blocks_for(parts_.waves), of_row = cuda::blocks_for(parts_.sums());
    return rounding_bound<Real>(static_cast<double>(of_thread + of_row + 2 * (strip + strips) + gpp_roundings + 1));
  }

 private:
  GppParts parts_;
  ComplexArray<Real, DeviceArray> partial_;
};

// Rows of two blocks and more, each number of energies, and strides of part of a sector and of more than one.
const cuda::Register<GppCase> gpp_registered{
    gpp_facts({.edges = gpp_by_variant(
                   {"naive", "vector", "blocked", "nodivide"},
                   {{2, 3, 33, 4}, {1, 2, 67, 6, 2}, {33, 1, 257, 1}, {65, 2, 600, 2, 3}, {3, 300, 40, 5, 5}, {3, 2, 1024, 3}})})};

}  // namespace
}  // namespace plumbline
