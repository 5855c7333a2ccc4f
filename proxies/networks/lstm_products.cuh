// An LSTM's products on GPUs: a warp has a tile of 16 x 32 sums in registers, and brings tiles of both matrices through shared memory while
// it multiplies those before.
#pragma once
#include <cstddef>
#include <cstdint>

#include "cuda/halves.cuh"
#include "cuda/mma.cuh"
#include "cuda/register.cuh"
#include "proxies/networks/lstm_activation.hpp"

namespace plumbline {

/// The rows and columns of a tile of sums, and the depth of a step.
constexpr unsigned lstm_tile_rows = 16, lstm_tile_columns = 32, lstm_depth_step = 16, lstm_threads = 32;
/// The rows and the columns of its sums that a thread has.
constexpr unsigned lstm_thread_rows = 4, lstm_thread_columns = 4;

PLUMBLINE_BOTH unsigned lstm_tiles(std::size_t length, unsigned tile) { return static_cast<unsigned>((length + tile - 1) / tile); }

/// Numbers of 16 bits are multiplied by tensor cores, of which a word of two that follow one another in the depth is an operand.
template <class Real>
constexpr unsigned lstm_word = sizeof(Real) == 2 ? 2 : 1;

/// A matrix is brought into the order in which products read it: columns in tiles, each of whole steps of the depth, word by word, with
/// zeros beyond the matrix. It may be in parts of equal width, each with tiles of its own.
template <class Real>
struct LstmPanel {
  const Real* from;
  Real* to;
  unsigned depth, columns;   // of a part
  unsigned parts;            // one beside the other
  std::size_t down, across;  // from one element to the one below, and beside

  PLUMBLINE_BOTH static std::size_t size_of(std::size_t depth, std::size_t columns) {
    return std::size_t{lstm_tiles(depth, lstm_depth_step)} * lstm_depth_step * lstm_tiles(columns, lstm_tile_columns) * lstm_tile_columns;
  }
  std::size_t size() const { return parts * size_of(depth, columns); }
};
struct LstmPacked {
#pragma nv_exec_check_disable
  template <class Real>
  PLUMBLINE_BOTH static void element(const LstmPanel<Real>& x, std::size_t i) {
    const auto at = static_cast<unsigned>(i), of_part = static_cast<unsigned>(x.size_of(x.depth, x.columns));
    const unsigned deep = lstm_tiles(x.depth, lstm_depth_step) * lstm_depth_step, part = at / of_part, in_part = at % of_part;
    constexpr unsigned word = lstm_word<Real>, of_words = word * lstm_tile_columns;
    const unsigned k = in_part / of_words * word % deep + in_part % word, tile = in_part / lstm_tile_columns / deep;
    const unsigned column = tile * lstm_tile_columns + in_part / word % lstm_tile_columns;
    const bool has = k < x.depth && column < x.columns;
    const Real number = cuda::surely_loaded(x.from + (has ? k * x.down + (part * x.columns + column) * x.across : 0));
    x.to[i] = has ? number : Real{};
  }
};

/// Sums of products of rows by a part of a panel. They begin as zero, or as what stands in `first`.
template <class Real>
struct LstmProduct {
  const Real *left, *panel, *first;  // no `first`: zero
  Real* out;
  unsigned rows, columns, depth;
  unsigned pitch, first_pitch, out_pitch;  // from one row to the next

  PLUMBLINE_BOTH unsigned column_tiles() const { return lstm_tiles(columns, lstm_tile_columns); }
  PLUMBLINE_BOTH unsigned tiles() const { return lstm_tiles(rows, lstm_tile_rows) * column_tiles(); }
  PLUMBLINE_BOTH unsigned steps() const { return lstm_tiles(depth, lstm_depth_step); }
  PLUMBLINE_BOTH bool has(unsigned row, unsigned column) const { return row < rows && column < columns; }
  PLUMBLINE_BOTH bool is_whole() const { return rows % lstm_tile_rows == 0 && columns % lstm_tile_columns == 0; }
  PLUMBLINE_BOTH std::size_t panel_at(unsigned k, unsigned column) const {
    constexpr unsigned word = lstm_word<Real>;
    const std::size_t of_tile = std::size_t{column / lstm_tile_columns} * steps() * lstm_depth_step;
    return (of_tile + k / word * word) * lstm_tile_columns + column % lstm_tile_columns * word + k % word;
  }
};

/// Tiles of a step in shared memory. The left one is turned; its rows are longer by a vector, so that threads seldom meet in a bank.
template <class Real>
struct alignas(16) LstmTiles {
  using Number = Real;
  static constexpr unsigned wide = 16 / sizeof(Real);
  struct alignas(16) Vector {
    Number number[wide];
  };
  Number left[lstm_depth_step][lstm_tile_rows + wide];
  Number right[lstm_depth_step][lstm_tile_columns];

  __device__ Number& left_of(unsigned row, unsigned k) { return left[k][row]; }
  __device__ Vector& right_vector(unsigned i) { return reinterpret_cast<Vector*>(right)[i]; }
};
/// Tiles of numbers of 16 bits, as bits, are rows of words for tensor cores, and longer so that no threads meet in a bank.
template <>
struct alignas(16) LstmTiles<Fp16> {
  using Number = std::uint16_t;
  static constexpr unsigned wide = 8, words = lstm_depth_step / 2, vectors_a_row = lstm_tile_columns / 4;
  struct alignas(16) Vector {
    Number number[wide];
  };
  Number left[lstm_tile_rows][lstm_depth_step + wide];
  unsigned right[words][lstm_tile_columns + wide];

  __device__ Number& left_of(unsigned row, unsigned k) { return left[row][k]; }
  __device__ Vector& right_vector(unsigned i) { return *reinterpret_cast<Vector*>(&right[i / vectors_a_row][i % vectors_a_row * 4]); }
  __device__ unsigned left_word(unsigned row, unsigned word) const { return *reinterpret_cast<const unsigned*>(&left[row][2 * word]); }
};

/// A thread's part of the tiles of a step: of the left one by numbers, where one beyond the matrix is zero, and loads the first in its
/// place; of the panel, which is whole, by vectors.
template <class Real>
class LstmLoaded {
  using Tiles = LstmTiles<Real>;
  using Number = typename Tiles::Number;
  using Vector = typename Tiles::Vector;
  static constexpr unsigned lefts = lstm_tile_rows * lstm_depth_step / lstm_threads,
                            rights = lstm_tile_columns * lstm_depth_step / lstm_threads / Tiles::wide,
                            rows_at_once = lstm_threads / lstm_depth_step;

 public:
  __device__ __forceinline__ void load(const LstmProduct<Real>& x, unsigned first_row, const Real* panel, unsigned step) {
    const unsigned k = step * lstm_depth_step + threadIdx.x % lstm_depth_step;
#pragma unroll
    for (unsigned i = 0; i < lefts; ++i) {
      const unsigned row = first_row + threadIdx.x / lstm_depth_step + i * rows_at_once;
      const bool has = row < x.rows && k < x.depth;
      const Number number = reinterpret_cast<const Number*>(x.left)[has ? row * x.pitch + k : 0U];
      left_[i] = has ? number : Number{};
    }
    const auto* const vectors = reinterpret_cast<const Vector*>(panel + std::size_t{step} * lstm_depth_step * lstm_tile_columns);
#pragma unroll
    for (unsigned i = 0; i < rights; ++i) right_[i] = vectors[threadIdx.x + i * lstm_threads];
  }
  __device__ __forceinline__ void store(Tiles& to) const {
#pragma unroll
    for (unsigned i = 0; i < lefts; ++i)
      to.left_of(threadIdx.x / lstm_depth_step + i * rows_at_once, threadIdx.x % lstm_depth_step) = left_[i];
#pragma unroll
    for (unsigned i = 0; i < rights; ++i) to.right_vector(threadIdx.x + i * lstm_threads) = right_[i];
  }

 private:
  Number left_[lefts];
  Vector right_[rights];
};

/// A thread's sums: four rows one below the other, and every eighth column.
template <class Real>
class LstmSums {
  using Tiles = LstmTiles<Real>;
  static constexpr unsigned across = lstm_tile_columns / lstm_thread_columns;

 public:
  /// Calls act(row, column, sum), within the tile.
  template <class Act>
  __device__ __forceinline__ void each(Act act) {
#pragma unroll
    for (unsigned i = 0; i < lstm_thread_rows; ++i)
#pragma unroll
      for (unsigned j = 0; j < lstm_thread_columns; ++j)
        act(threadIdx.x / across * lstm_thread_rows + i, threadIdx.x % across + j * across, sums_[i][j]);
  }
  __device__ __forceinline__ void multiply(const Tiles& tiles) {
#pragma unroll
    for (unsigned k = 0; k < lstm_depth_step; ++k) {
      typename Tiles::Vector left[lstm_thread_rows / Tiles::wide];
      Real right[lstm_thread_columns];
#pragma unroll
      for (unsigned i = 0; i < lstm_thread_rows / Tiles::wide; ++i)
        left[i] = reinterpret_cast<const typename Tiles::Vector*>(&tiles.left[k][threadIdx.x / across * lstm_thread_rows])[i];
#pragma unroll
      for (unsigned j = 0; j < lstm_thread_columns; ++j) right[j] = tiles.right[k][threadIdx.x % across + j * across];
#pragma unroll
      for (unsigned i = 0; i < lstm_thread_rows; ++i)
#pragma unroll
        for (unsigned j = 0; j < lstm_thread_columns; ++j)
          sums_[i][j] = cuda::fused(left[i / Tiles::wide].number[i % Tiles::wide], right[j], sums_[i][j]);
    }
  }

 private:
  Real sums_[lstm_thread_rows][lstm_thread_columns] = {};
};

/// A thread's sums by tensor cores: a warp's are four tiles of 16 x 8, one beside the other.
template <>
class LstmSums<Fp16> {
  static constexpr unsigned tiles_across = lstm_tile_columns / 8;

 public:
  template <class Act>
  __device__ __forceinline__ void each(Act act) {
#pragma unroll
    for (unsigned j = 0; j < tiles_across; ++j)
#pragma unroll
      for (unsigned i = 0; i < 4; ++i) act(threadIdx.x / 4 + i / 2 * 8, 8 * j + 2 * (threadIdx.x % 4) + i % 2, sums_[j][i]);
  }
  __device__ __forceinline__ void multiply(const LstmTiles<Fp16>& tiles) {
    const unsigned of_lane = threadIdx.x / 4, word = threadIdx.x % 4;
    unsigned left[4];
#pragma unroll
    for (unsigned w = 0; w < 4; ++w) left[w] = tiles.left_word(of_lane + w % 2 * 8, word + w / 2 * 4);
#pragma unroll
    for (unsigned j = 0; j < tiles_across; ++j) {
      const unsigned right[] = {tiles.right[word][8 * j + of_lane], tiles.right[word + 4][8 * j + of_lane]};
      cuda::multiply_add_fp16(sums_[j], left, right);
    }
  }

 private:
  float sums_[tiles_across][4] = {};
};

/// Computes a product on the host, of whole tiles and steps.
template <class Real>
void lstm_product_on_host(const LstmProduct<Real>& x) {
  for (unsigned row = 0; row < lstm_tiles(x.rows, lstm_tile_rows) * lstm_tile_rows; ++row)
    for (unsigned column = 0; column < x.column_tiles() * lstm_tile_columns; ++column) {
      const bool has = x.has(row, column);
      LstmSum<Real> sum = x.first == nullptr ? LstmSum<Real>(0) : cuda::widened(x.first[has ? row * x.first_pitch + column : 0U]);
      for (unsigned k = 0; k < x.steps() * lstm_depth_step; ++k) {
        const Real left = row < x.rows && k < x.depth ? x.left[std::size_t{row} * x.pitch + k] : Real{};
        sum = cuda::fused(cuda::widened(left), cuda::widened(x.panel[x.panel_at(k, column)]), sum);
      }
      if (has) x.out[std::size_t{row} * x.out_pitch + column] = cuda::narrowed<Real>(sum);
    }
}

}  // namespace plumbline
