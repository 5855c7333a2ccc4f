// A block of threads multiplies tiles of two matrices: their elements come from global memory, through registers, to shared memory, while
// those of the step before are multiplied.
#pragma once
#include <cuda_fp16.h>

#include "core/narrow.hpp"
#include "cuda/mma.cuh"
#include "cuda/runtime.cuh"
#include "proxies/networks/conv2d_products.cuh"

namespace plumbline {

/// The blocks that a multiprocessor has room for at least. Told none or more, the compiler keeps some numbers in memory.
constexpr unsigned conv_blocks = 2;

/// A thread brings elements in one by one, or 8 for tensor cores at once; so many threads stand side by side along a row.
template <class Real, class Factor>
struct ConvPieces {
  using Piece = Real;
  static constexpr unsigned wide = 1, threads_a_row = 8;
};
struct ConvWidePieces {
  using Piece = uint4;
  static constexpr unsigned wide = 8, threads_a_row = 4;
};
template <>
struct ConvPieces<Fp16, Fp16> : ConvWidePieces {};
template <>
struct ConvPieces<Bf16, Bf16> : ConvWidePieces {};
/// A half becomes a factor in fp32 when it is stored in a tile.
template <>
struct ConvPieces<Fp16, float> : ConvPieces<float, float> {
  using Piece = __half;
};

/// The element there, or zero: what is not to be read is the first element instead, so that every thread loads.
template <class Piece, class Real>
__device__ __forceinline__ Piece conv_load(const Real* from, int at, bool has) {
  const Piece piece = __ldg(reinterpret_cast<const Piece*>(from + static_cast<unsigned>(has ? at : 0)));
  return has ? piece : Piece{};
}

/// A step's tile of one operand in shared memory: the numbers of each step of the depth side by side. Rows are shifted so that threads that
/// store do not meet in a bank.
template <class Factor>
struct alignas(16) ConvTile {
  Factor at[conv_depth_step<Factor>][conv_tile + 4];

  __device__ void store(unsigned row, unsigned depth, Factor number) { at[depth][row] = number; }
};
/// A step's tile of 16-bit numbers is rows of words, of two numbers that follow one another in the depth, of which groups of four change
/// places from one eight of rows to the next.
struct alignas(16) ConvWordTile {
  unsigned at[conv_tile][20];

  static __device__ unsigned place(unsigned row, unsigned word) { return word ^ (row / 8 % 4 * 4); }
  __device__ void store(unsigned row, unsigned depth, uint4 piece) { *reinterpret_cast<uint4*>(&at[row][place(row, depth / 2)]) = piece; }
};
template <>
struct ConvTile<Fp16> : ConvWordTile {};
template <>
struct ConvTile<Bf16> : ConvWordTile {};

/// An operand whose rows lie in lines along the depth: patches, or columns of the filters.
template <class Real, class Factor>
class ConvLined {
  using Pieces = ConvPieces<Real, Factor>;
  static constexpr unsigned rows_apart = conv_threads / Pieces::threads_a_row, rows = conv_tile / rows_apart,
                            depth_apart = Pieces::threads_a_row * Pieces::wide, pieces = conv_depth_step<Factor> / depth_apart;

 public:
  struct Loaded {
    typename Pieces::Piece piece[rows][pieces];
  };

  /// Takes the rows row(i) of the tile.
  template <class Row>
  __device__ ConvLined(const Real* from, const ConvLines& lines, Row row) : from_(from), lines_(lines) {
#pragma unroll
    for (unsigned r = 0; r < rows; ++r) rows_[r] = row(row_of_thread() + r * rows_apart);
  }
  /// The tile of the next step.
  __device__ __forceinline__ void load(Loaded& to) {
#pragma unroll
    for (unsigned r = 0; r < rows; ++r)
#pragma unroll
      for (unsigned p = 0; p < pieces; ++p) {
        const unsigned e = first_ + depth_of_thread() + p * depth_apart;
        to.piece[r][p] =
            conv_load<typename Pieces::Piece>(from_ + rows_[r].image, lines_.at(rows_[r], tap_, e), lines_.has(rows_[r], tap_, e));
      }
    first_ += conv_depth_step<Factor>;
    const bool next_tap = first_ >= lines_.strip;
    tap_ += next_tap ? 1 : 0;
    first_ = next_tap ? 0 : first_;
  }
  static __device__ __forceinline__ void store(const Loaded& from, ConvTile<Factor>& tile) {
#pragma unroll
    for (unsigned r = 0; r < rows; ++r)
#pragma unroll
      for (unsigned p = 0; p < pieces; ++p)
        tile.store(row_of_thread() + r * rows_apart, depth_of_thread() + p * depth_apart, from.piece[r][p]);
  }

 private:
  static __device__ unsigned row_of_thread() { return threadIdx.x / Pieces::threads_a_row; }
  static __device__ unsigned depth_of_thread() { return threadIdx.x % Pieces::threads_a_row * Pieces::wide; }

  const Real* from_;
  ConvLines lines_;
  ConvRow rows_[rows];
  unsigned tap_ = 0, first_ = 0;
};

/// An operand of which each step of the depth lies by itself: what belongs to a point.
template <class Real, class Factor>
class ConvPointed {
  using Pieces = ConvPieces<Real, Factor>;
  static constexpr bool paired = conv_by_tensor_cores<Factor>;
  static constexpr unsigned rows_apart = 8 * Pieces::wide, pieces = conv_tile / rows_apart, points = paired ? 2 : 1;

 public:
  struct Loaded {
    typename Pieces::Piece piece[points][pieces];
  };

  /// The points [first, end); row(i) is where row i of the tile lies from a point's beginning, negative where there is none.
  template <class Row>
  __device__ ConvPointed(const Real* from, unsigned first, unsigned end, Row row)
      : from_(from), point_(first + threadIdx.x / 8 * points), end_(end) {
#pragma unroll
    for (unsigned p = 0; p < pieces; ++p) at_[p] = row(row_of_thread() + p * rows_apart);
  }
  /// The tile of the next step, where point(i) is where point i begins.
  template <class Point>
  __device__ __forceinline__ void load(Loaded& to, Point point) {
#pragma unroll
    for (unsigned i = 0; i < points; ++i) {
      const bool has = point_ + i < end_;
      const Real* const begin = from_ + point(has ? point_ + i : 0);
#pragma unroll
      for (unsigned p = 0; p < pieces; ++p) to.piece[i][p] = conv_load<typename Pieces::Piece>(begin, at_[p], has && at_[p] >= 0);
    }
    point_ += conv_depth_step<Factor>;
  }
  static __device__ __forceinline__ void store(const Loaded& from, ConvTile<Factor>& tile) {
    if constexpr (paired) {
      const uint4 &even = from.piece[0][0], &odd = from.piece[1][0];
      const unsigned low[] = {even.x, even.y, even.z, even.w}, high[] = {odd.x, odd.y, odd.z, odd.w};
      const unsigned row = row_of_thread(), word = tile.place(row, threadIdx.x / 8);
#pragma unroll
      for (unsigned i = 0; i < 4; ++i) {
        tile.at[row + 2 * i][word] = __byte_perm(low[i], high[i], 0x5410);
        tile.at[row + 2 * i + 1][word] = __byte_perm(low[i], high[i], 0x7632);
      }
    } else {
#pragma unroll
      for (unsigned p = 0; p < pieces; ++p) tile.store(row_of_thread() + p * rows_apart, threadIdx.x / 8, from.piece[0][p]);
    }
  }

 private:
  static __device__ unsigned row_of_thread() { return threadIdx.x % 8 * Pieces::wide; }

  const Real* from_;
  unsigned point_, end_;
  int at_[pieces];
};

/// Numbers that follow one another, loaded and stored at once.
template <class Real, unsigned size>
struct alignas(size * sizeof(Real)) ConvVector {
  Real number[size];
};

/// The sums of a tile: 8 rows and 4 columns of a thread; columns come in vectors of so many.
template <class Real, unsigned wide>
class ConvSums {
  static constexpr unsigned rows = 8, columns = 4, across = 16, whole = 16 / sizeof(Real);

 public:
  __device__ __forceinline__ void multiply(const ConvTile<Real>& a, const ConvTile<Real>& b) {
#pragma unroll
    for (unsigned k = 0; k < conv_depth_step<Real>; ++k) {
      ConvVector<Real, whole> left[rows / whole];
      ConvVector<Real, wide> right[columns / wide];
#pragma unroll
      for (unsigned i = 0; i < rows / whole; ++i)
        left[i] = *reinterpret_cast<const ConvVector<Real, whole>*>(&a.at[k][rows * down_of_thread() + whole * i]);
#pragma unroll
      for (unsigned j = 0; j < columns / wide; ++j) right[j] = *reinterpret_cast<const ConvVector<Real, wide>*>(&b.at[k][column(j)]);
#pragma unroll
      for (unsigned i = 0; i < rows; ++i)
#pragma unroll
        for (unsigned j = 0; j < columns; ++j)
          sums_[i][j] = cuda::fused(left[i / whole].number[i % whole], right[j / wide].number[j % wide], sums_[i][j]);
    }
  }
  /// see(row, column, vector) for each of the sums.
  template <class See>
  __device__ __forceinline__ void each(See see) const {
#pragma unroll
    for (unsigned i = 0; i < rows; ++i)
#pragma unroll
      for (unsigned j = 0; j < columns / wide; ++j) {
        ConvVector<Real, wide> vector;
#pragma unroll
        for (unsigned v = 0; v < wide; ++v) vector.number[v] = sums_[i][j * wide + v];
        see(rows * down_of_thread() + i, column(j), vector);
      }
  }

 private:
  static __device__ unsigned down_of_thread() { return threadIdx.x / across; }
  static __device__ unsigned column(unsigned vector) { return (vector * across + threadIdx.x % across) * wide; }

  Real sums_[rows][columns] = {};
};

/// The sums of a tile by tensor cores: 32 x 32 of a warp, of which there are two rows and two columns.
template <class Real>
class ConvTensorSums {
  static constexpr unsigned tiles_down = 2, tiles_across = 4;

 public:
  __device__ __forceinline__ void multiply(const ConvTile<Real>& a, const ConvTile<Real>& b) {
#pragma unroll
    for (unsigned k = 0; k < conv_depth_step<Real>; k += 16) {
      unsigned left[tiles_down][4], right[tiles_across][2];
#pragma unroll
      for (unsigned i = 0; i < tiles_down; ++i)
#pragma unroll
        for (unsigned w = 0; w < 4; ++w) left[i][w] = word(a, first_row() + 16 * i + w % 2 * 8, k / 2 + w / 2 * 4);
#pragma unroll
      for (unsigned j = 0; j < tiles_across; ++j)
#pragma unroll
        for (unsigned w = 0; w < 2; ++w) right[j][w] = word(b, first_column() + 8 * j, k / 2 + w * 4);
#pragma unroll
      for (unsigned i = 0; i < tiles_down; ++i)
#pragma unroll
        for (unsigned j = 0; j < tiles_across; ++j) {
          if constexpr (std::is_same_v<Real, Fp16>)
            cuda::multiply_add_fp16(sums_[i][j], left[i], right[j]);
          else
            cuda::multiply_add_bf16(sums_[i][j], left[i], right[j]);
        }
    }
  }
  template <class See>
  __device__ __forceinline__ void each(See see) const {
#pragma unroll
    for (unsigned i = 0; i < tiles_down; ++i)
#pragma unroll
      for (unsigned j = 0; j < tiles_across; ++j)
#pragma unroll
        for (unsigned half = 0; half < 2; ++half)
          see(first_row() + 16 * i + 8 * half + threadIdx.x % 32 / 4, first_column() + 8 * j + 2 * (threadIdx.x % 4),
              ConvVector<float, 2>{{sums_[i][j][2 * half], sums_[i][j][2 * half + 1]}});
  }

 private:
  static __device__ unsigned first_row() { return threadIdx.x / 64 * 32; }
  static __device__ unsigned first_column() { return threadIdx.x / 32 % 2 * 32; }
  /// The lane's word of eight rows from `first` on.
  static __device__ unsigned word(const ConvTile<Real>& tile, unsigned first, unsigned word) {
    const unsigned row = first + threadIdx.x % 32 / 4;
    return tile.at[row][tile.place(row, word + threadIdx.x % 4)];
  }

  float sums_[tiles_down][tiles_across][4] = {};
};
template <class Real, unsigned wide>
using ConvSumsOf = std::conditional_t<conv_by_tensor_cores<Real>, ConvTensorSums<Real>, ConvSums<Real, wide>>;

/// Multiplies the tiles of so many steps; load_a(loaded) and load_b(loaded) load the next step's.
template <class A, class B, class Factor, class Sums, class LoadA, class LoadB>
__device__ __forceinline__ void conv_multiply(Sums& sums, unsigned steps, LoadA load_a, LoadB load_b) {
  __shared__ ConvTile<Factor> a[2], b[2];
  typename A::Loaded next_a;
  typename B::Loaded next_b;
  const auto load = [&] {
    load_a(next_a);
    load_b(next_b);
  };
  const auto store = [&](unsigned buffer) {
    A::store(next_a, a[buffer]);
    B::store(next_b, b[buffer]);
    __syncthreads();
  };
  load();
  store(0);
#pragma unroll 1
  for (unsigned step = 1; step < steps; ++step) {
    load();
    sums.multiply(a[(step + 1) % 2], b[(step + 1) % 2]);
    store(step % 2);
  }
  sums.multiply(a[(steps + 1) % 2], b[(steps + 1) % 2]);
}

}  // namespace plumbline
