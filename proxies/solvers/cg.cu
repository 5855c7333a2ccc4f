// Conjugate gradients of cg.hpp on GPUs: one thread a point of a color, of a vector, or of the coarser grid, and a block of threads for
// each sum of a quarter of a plane. Threads side by side find their rows' entries side by side. Sums and ratios stay on the device.
#include "cuda/block_sum.cuh"
#include "cuda/newton.cuh"
#include "cuda/register.cuh"
#include "proxies/solvers/cg.hpp"

namespace plumbline {
namespace {

using cuda::fused, cuda::plus, cuda::quotient_by, cuda::reciprocal, cuda::times;

constexpr CgSpace of_gpus{.order = color_by_color, .line_bytes = 32, .sums_of_a_plane = 4};

/// The row of the matrix of a point that is so many times two points away from the first of its color, in each direction.
template <class Real>
struct CgRow {
  const Real* values;
  const std::int32_t* columns;
  std::size_t apart;  // an entry from the next: the rows of a color

  PLUMBLINE_BOTH CgRow(const Cg<Real>& s, unsigned color, unsigned i, unsigned j, unsigned k) {
    const auto half = static_cast<unsigned>(s.n) / 2;
    apart = std::size_t{half} * half * (static_cast<unsigned>(s.planes) / 2);
    const std::size_t first = color * cg_entries * apart + (k * half + j) * half + i;
    values = s.values + first, columns = s.columns + first;
  }
};

/// Gauss-Seidel at a point of the color.
struct CgSmoothing {
#pragma nv_exec_check_disable
  template <class Real>
  PLUMBLINE_BOTH static void element(const Cg<Real>& s, std::size_t thread) {
    const auto n = static_cast<unsigned>(s.n), color = static_cast<unsigned>(s.color), half = n / 2, t = static_cast<unsigned>(thread);
    const unsigned i = t % half, j = t / half % half, k = t / half / half;
    const std::size_t point = ((2 * k + color / 4) * n + 2 * j + color / 2 % 2) * n + 2 * i + color % 2;
    const CgRow<Real> row(s, color, i, j, k);
    Real rest = s.in[point], diagonal{};
#pragma unroll
    for (std::size_t e = 0; e < cg_entries; ++e) {
      const Real value = row.values[e * row.apart];
      if (e == cg_diagonal) diagonal = value;
      rest = fused(-value, s.out[row.columns[e * row.apart]], rest);
    }
    Real& own = s.out[n * n + point];
    own = quotient_by(fused(own, diagonal, rest), diagonal, reciprocal(diagonal));
  }
};

/// A point of the matrix's product with a vector.
struct CgProduct {
#pragma nv_exec_check_disable
  template <class Real>
  PLUMBLINE_BOTH static void element(const Cg<Real>& s, std::size_t point) {
    const auto n = static_cast<unsigned>(s.n), p = static_cast<unsigned>(point), i = p % n, j = p / n % n, k = p / n / n;
    const CgRow<Real> row(s, k % 2 * 4 + j % 2 * 2 + i % 2, i / 2, j / 2, k / 2);
    Real sum = times(row.values[0], s.in[row.columns[0]]);
#pragma unroll
    for (std::size_t e = 1; e < cg_entries; ++e) sum = fused(row.values[e * row.apart], s.in[row.columns[e * row.apart]], sum);
    s.out[point] = sum;
  }
};

/// The place of a point of the coarser grid among those of the finer one, in vectors without neighbours' planes.
template <class Real>
PLUMBLINE_BOTH std::size_t finer_point(const Cg<Real>& s, std::size_t point) {
  const auto n = static_cast<unsigned>(s.n), half = n / 2, p = static_cast<unsigned>(point);
  return 2 * ((p / half / half * n + p / half % half) * std::size_t{n} + p % half);
}

struct CgRestriction {
#pragma nv_exec_check_disable
  template <class Real>
  PLUMBLINE_BOTH static void element(const Cg<Real>& s, std::size_t point) {
    const std::size_t finer = finer_point(s, point);
    s.out[point] = plus(s.in[finer], -s.other[finer]);
    s.cleared[point] = Real(0);
  }
};

struct CgProlongation {
#pragma nv_exec_check_disable
  template <class Real>
  PLUMBLINE_BOTH static void element(const Cg<Real>& s, std::size_t point) {
    Real& finer = s.out[finer_point(s, point)];
    finer = plus(finer, s.in[point]);
  }
};

struct CgScaledSum {
#pragma nv_exec_check_disable
  template <class Real>
  PLUMBLINE_BOTH static void element(const Cg<Real>& s, std::size_t i) {
    s.out[i] = fused(s.factor[0], s.out[i], s.in[i]);
  }
};

struct CgUpdate {
#pragma nv_exec_check_disable
  template <class Real>
  PLUMBLINE_BOTH static void element(const Cg<Real>& s, std::size_t i) {
    const Real factor = s.factor[0];
    s.out[i] = fused(factor, s.in[i], s.out[i]);
    s.updated[i] = fused(-factor, s.other[i], s.updated[i]);
    s.cleared[i] = Real(0);
  }
};

struct CgRatio {
#pragma nv_exec_check_disable
  template <class Real>
  PLUMBLINE_BOTH static void element(const Cg<Real>& s, std::size_t i) {
    const Real denominator = plus(Real(s.denominator[i]), s.least);
    s.out[i] = quotient_by(Real(s.numerator[i]), denominator, reciprocal(denominator));
  }
};

/// The sum of the products of two vectors, or of the squares of one, over a quarter of a plane.
template <bool of_squares>
struct CgPartSum {
#pragma nv_exec_check_disable
  template <class Real>
  PLUMBLINE_BOTH static Real brought(const Cg<Real>& s, std::size_t part, unsigned thread) {
    const auto points = static_cast<unsigned>(s.n * s.n / of_gpus.sums_of_a_plane);
    const std::size_t first = part * points;
    Real sum = 0;
    for (unsigned i = thread; i < points; i += cuda::block_threads) {
      const Real one = s.in[first + i];
      sum = fused(one, of_squares ? one : s.other[first + i], sum);
    }
    return sum;
  }
  template <class Real>
  PLUMBLINE_BOTH static void keep(const Cg<Real>& s, std::size_t part, Real sum) {
    s.out[part] = sum;
  }
};

/// The sum of all parts.
struct CgTotal {
#pragma nv_exec_check_disable
  template <class Real>
  PLUMBLINE_BOTH static Real brought(const Cg<Real>& s, std::size_t, unsigned thread) {
    const auto parts = static_cast<unsigned>(s.planes * of_gpus.sums_of_a_plane);
    Real sum = 0;
    for (unsigned part = thread; part < parts; part += cuda::block_threads) sum = plus(sum, s.in[part]);
    return sum;
  }
#pragma nv_exec_check_disable
  template <class Real>
  PLUMBLINE_BOTH static void keep(const Cg<Real>& s, std::size_t i, Real sum) {
    s.sum[i] = static_cast<double>(sum);
  }
};

/// Gives of_threads<Body>(threads for each of the range) or of_blocks<Body>(blocks for each of it), by the loop.
template <class Real, class OfThreads, class OfBlocks>
void select(const Cg<Real>& s, OfThreads of_threads, OfBlocks of_blocks) {
  switch (s.loop) {
    case CgLoop::smoother:
      return of_threads.template operator()<CgSmoothing>(s.n / 2);
    case CgLoop::product:
      return of_threads.template operator()<CgProduct>(s.n);
    case CgLoop::restriction:
      return of_threads.template operator()<CgRestriction>(s.n / 2);
    case CgLoop::prolongation:
      return of_threads.template operator()<CgProlongation>(s.n / 2);
    case CgLoop::dot:
      return of_blocks.template operator()<CgPartSum<false>>(of_gpus.sums_of_a_plane);
    case CgLoop::norm:
      return of_blocks.template operator()<CgPartSum<true>>(of_gpus.sums_of_a_plane);
    case CgLoop::total:
      return of_blocks.template operator()<CgTotal>(std::size_t{1});
    case CgLoop::ratio:
      return of_threads.template operator()<CgRatio>(std::size_t{1});
    case CgLoop::scaled_sum:
      return of_threads.template operator()<CgScaledSum>(std::size_t{1});
    case CgLoop::update:
      return of_threads.template operator()<CgUpdate>(std::size_t{1});
  }
}

/// The sectors that the warps of so many threads share with others, beside those of their own: two for each row of points of which a warp
/// has a piece.
struct CgPieces {
  std::uint64_t warps, pieces;
  CgPieces(std::uint64_t threads, std::uint64_t rows) : warps((threads + 31) / 32), pieces(warps + rows) {}
};

/// Tells that nothing of a stream may be kept between two of its accesses, whose elements lie so many apart.
void keep_nothing(Stream& stream, std::uint64_t data_bytes, std::uint64_t stride) {
  const std::uint64_t accesses = stream.loads + stream.stores;
  stream.layers = {{.reuse_bytes = data_bytes, .fetched_bytes = accesses * stream.element_bytes * stride, .upper_bound = true}};
}

/// The matrix as a GPU moves it, of which threads take a row each in so many rows of points: each entry once. Sectors are shared where
/// pieces begin within one.
template <class Real>
void set_matrix(Work& work, std::uint64_t points, std::uint64_t of_a_piece, std::uint64_t pieces) {
  const std::vector<Stream> matrix = cg_matrix_streams<Real>(1, points, 0);
  for (std::size_t i = 0; i < matrix.size(); ++i) {
    work.streams[i] = matrix[i];
    const bool aligned = of_a_piece * matrix[i].element_bytes % of_gpus.line_bytes == 0;
    work.streams[i].straddles = aligned ? 0 : 2 * cg_entries * pieces;
  }
}

/// A factor that every thread loads.
template <class Real>
Stream factor_stream(std::uint64_t threads) {
  const std::uint64_t warps = CgPieces(threads, 0).warps;
  Stream factor = loaded<Real>("factor", 1);
  factor.loads = threads, factor.shared = true;
  factor.layers = {{.reuse_bytes = of_gpus.line_bytes, .fetched_bytes = warps * of_gpus.line_bytes, .upper_bound = true}};
  factor.straddles = warps;
  return factor;
}

/// The work of a part as a GPU does and moves it.
template <class Real>
Work work_of_gpu(CgPart part, const CgGrid& grid, std::uint64_t data_bytes) {
  Work work = cg_work<Real>(part, grid, of_gpus);
  std::erase_if(work.streams, [](const Stream& stream) { return stream.loads + stream.stores == 0; });  // a CPU's own variables
  const std::uint64_t points = grid.points(), of_color = points / 8, sums = grid.planes * of_gpus.sums_of_a_plane;
  const CgPieces all(points, grid.lines()), color(of_color, grid.lines() / 4);
  const std::uint64_t division_fmas = cuda::reciprocal_fmas<Real> + cuda::quotient_fmas;
  const auto add = flops<Real>("add"), mul = flops<Real>("mul"), fma = flops<Real>("fma");
  for (Stream& stream : work.streams) stream.straddles = all.warps;  // vectors whose own points begin within a sector
  switch (part) {
    case CgPart::smooth:
      work.flops = {{fma, (cg_entries + 1 + division_fmas) * of_color}, {mul, of_color}};
      set_matrix<Real>(work, of_color, of_color, color.warps);
      for (std::size_t i = 2; i < work.streams.size(); ++i) {
        const std::uint64_t accesses = (work.streams[i].loads + work.streams[i].stores) / of_color;
        keep_nothing(work.streams[i], data_bytes, 2);
        work.streams[i].straddles = accesses * color.pieces;
      }
      work.streams.back().straddles += cg_quarter<Real>(grid, of_gpus.line_bytes) / of_gpus.line_bytes;  // stored in part
      break;
    case CgPart::product:
      work.flops = {{mul, points}, {fma, (cg_entries - 1) * points}};
      set_matrix<Real>(work, points, grid.n / 2, 2 * all.pieces);
      keep_nothing(work.streams[2], data_bytes, 1);
      work.streams[2].straddles = 2 * cg_entries * all.pieces;
      break;
    case CgPart::restriction:
    case CgPart::prolongation:
      for (Stream& stream : work.streams) stream.straddles = color.pieces;
      if (part == CgPart::prolongation) work.streams.back().straddles += cg_quarter<Real>(grid, of_gpus.line_bytes) / of_gpus.line_bytes;
      break;
    case CgPart::dot:
    case CgPart::norm:
      work.flops = {{fma, points}};
      for (Stream& stream : work.streams) stream.straddles = all.warps + 2 * sums;
      cuda::BlockSum<Real>::add_to(work, sums);
      break;
    case CgPart::total:
      work.flops = {{add, sums}};
      cuda::BlockSum<Real>::add_to(work, 1);
      break;
    case CgPart::ratio:
      work.flops = {{add, 1}, {mul, 1}, {fma, division_fmas}};
      break;
    case CgPart::scaled_sum:
      work.flops = {{fma, points}};
      work.streams.push_back(factor_stream<Real>(points));
      break;
    case CgPart::update:
      work.flops = {{fma, 2 * points}};
      work.streams.push_back(factor_stream<Real>(points));
      break;
    case CgPart::halo:
    case CgPart::sum:
      break;
  }
  return work;
}

template <class Real>
class CgCase final : public CgData<Real, DeviceArray> {
 public:
  static ApplicationWork application(const Parameters& p, std::string_view) {
    const auto none = [](CgPart, const CgGrid&) { return Work{}; };
    const std::uint64_t data_bytes = CgCase::phases(p, none).data_bytes;
    ApplicationWork cg = CgCase::phases(p, [&](CgPart part, const CgGrid& grid) { return work_of_gpu<Real>(part, grid, data_bytes); });
    cg.data_bytes += zeros(p) * sizeof(double);  // what restore() copies from lies in the GPU's memory, too
    return cg;
  }

  CgCase(const Parameters& p, DeviceMemory& memory)
      : CgData<Real, DeviceArray>(p, memory, of_gpus), memory_(memory), zeros_(zeros(p), memory) {}

  void initialise(std::size_t begin, std::size_t end) override {
    CgData<Real, DeviceArray>::initialise(begin, end);
    if (begin == 0) zeros_.fill(0, zeros_.size(), [](std::size_t) { return 0.0; });
  }
  /// All becomes a zero, which nothing that a sweep computes is to be, by copies on the device: the host is far away.
  void restore(std::size_t begin, std::size_t end) override {
    this->for_unknowns(begin, end, [&](auto& array, std::size_t from, std::size_t to, double) {
      memory_.copy_within(array.data() + from, zeros_.data(), (to - from) * sizeof(*array.data()));
    });
  }

  static void launch(const Cg<Real>& s, std::size_t begin, std::size_t end) {
    select(
        s, [&]<class Body>(std::size_t threads) { cuda::launch_elements<Body>(s, begin * threads, end * threads); },
        [&]<class Body>(std::size_t blocks) { cuda::launch_blocks<cuda::SumOfBlock<Body>>(s, begin * blocks, end * blocks); });
  }
  static void on_host(const Cg<Real>& s, std::size_t begin, std::size_t end) {
    select(
        s, [&]<class Body>(std::size_t threads) { cuda::elements_on_host<Body>(s, begin * threads, end * threads); },
        [&]<class Body>(std::size_t blocks) { cuda::SumOfBlock<Body>::on_host(s, begin * blocks, end * blocks); });
  }

 private:
  /// The numbers of the longest array that is restored, in fp64, of whatever precision its own are.
  static std::uint64_t zeros(const Parameters& p) {
    return std::max<std::uint64_t>(cg_grids_of(p)[0].with_neighbours(), CgSums{p.integer("iterations")}.count());
  }

  DeviceMemory& memory_;
  DeviceArray<double> zeros_;
};

const cuda::Register<CgCase> cg_registered{cg_facts()};

}  // namespace
}  // namespace plumbline
