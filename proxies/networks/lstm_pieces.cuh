// An LSTM's step on GPUs launches products and elements, one after the other, side by side or as a graph.
#pragma once
#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "cuda/graph.cuh"
#include "cuda/launches.cuh"
#include "cuda/register.cuh"
#include "proxies/networks/lstm_cells.cuh"
#include "proxies/networks/lstm_products.cuh"

namespace plumbline {
namespace {

template <class Real, bool has_first>
__global__ void __launch_bounds__(lstm_threads) lstm_products(const __grid_constant__ LstmProduct<Real> x) {
  __shared__ LstmTiles<Real> tiles[2];
  const unsigned first_row = blockIdx.x / x.column_tiles() * lstm_tile_rows,
                 first_column = blockIdx.x % x.column_tiles() * lstm_tile_columns;
  const Real* const panel = x.panel + x.panel_at(0, first_column);
  LstmSums<Real> sums;
  if constexpr (has_first)
    sums.each([&](unsigned row, unsigned column, LstmSum<Real>& sum) {
      const bool has = x.has(first_row + row, first_column + column);
      sum = cuda::widened(x.first[has ? (first_row + row) * x.first_pitch + first_column + column : 0U]);
    });
  LstmLoaded<Real> next;
  next.load(x, first_row, panel, 0);
  next.store(tiles[0]);
  __syncthreads();
#pragma unroll 1
  for (unsigned step = 1; step < x.steps(); ++step) {
    next.load(x, first_row, panel, step);
    sums.multiply(tiles[(step + 1) % 2]);
    next.store(tiles[step % 2]);
    __syncthreads();
  }
  sums.multiply(tiles[(x.steps() + 1) % 2]);
  sums.each([&](unsigned row, unsigned column, LstmSum<Real> sum) {
    if (x.has(first_row + row, first_column + column))
      x.out[(first_row + row) * x.out_pitch + first_column + column] = cuda::narrowed<Real>(sum);
  });
}

/// The function that launch_lstm_product() launches.
template <class Real>
const void* lstm_product_kernel(const LstmProduct<Real>& x) {
  return x.first == nullptr ? reinterpret_cast<const void*>(&lstm_products<Real, false>)
                            : reinterpret_cast<const void*>(&lstm_products<Real, true>);
}

template <class Real>
void launch_lstm_product(const LstmProduct<Real>& x, cudaStream_t stream) {
  if (x.is_whole())
    cuda::next_launch(std::uint64_t{x.tiles()} * lstm_threads, {std::uint64_t{x.steps()} - 1}, true);
  else
    cuda::next_launch_untold("the last tiles of the result are not whole");
  if (x.first == nullptr)
    lstm_products<Real, false><<<x.tiles(), lstm_threads, 0, stream>>>(x);
  else
    lstm_products<Real, true><<<x.tiles(), lstm_threads, 0, stream>>>(x);
}

/// A launch of a Body's element(), so many of them; `trips` of its loop, where it has one.
template <class Body, class X>
struct LstmElements {
  X x;
  std::size_t count;
  std::optional<std::uint64_t> trips = {};

  void launch() const { trips ? cuda::launch_elements<Body>(x, 0, count, {*trips}) : cuda::launch_elements<Body>(x, 0, count); }
  void on_host() const { cuda::elements_on_host<Body>(x, 0, count); }
  static const void* kernel() { return reinterpret_cast<const void*>(&cuda::each_element<Body, X>); }
};
template <class Real>
using LstmPiece = std::variant<LstmProduct<Real>, LstmElements<LstmPacked, LstmPanel<Real>>, LstmElements<LstmForwardCell, Lstm<Real>>,
                               LstmElements<LstmBackwardCell, Lstm<Real>>, LstmElements<LstmTurned, Lstm<Real>>,
                               LstmElements<LstmBiasSum, Lstm<Real>>, LstmElements<LstmConverted, LstmConversion<Real>>>;

/// A step launches its pieces, one after the other, all in the graph, or two products of which one is in the stream beside.
template <class Real>
struct LstmPieces {
  std::vector<LstmPiece<Real>> pieces = {};
  cuda::SideStream* side = nullptr;
  cuda::Graph* graph = nullptr;
};

template <class Real>
void launch_piece(const LstmPiece<Real>& piece, cudaStream_t stream) {
  if (const auto* const product = std::get_if<LstmProduct<Real>>(&piece)) return launch_lstm_product(*product, stream);
  std::visit(
      [](const auto& one) {
        if constexpr (requires { one.launch(); }) one.launch();
      },
      piece);
}
template <class Real>
const void* kernel_of(const LstmPiece<Real>& piece) {
  if (const auto* const product = std::get_if<LstmProduct<Real>>(&piece)) return lstm_product_kernel(*product);
  return std::visit(
      [](const auto& one) -> const void* {
        if constexpr (requires { one.kernel(); }) return one.kernel();
        return nullptr;
      },
      piece);
}

}  // namespace
}  // namespace plumbline
