// A convolution on GPUs is made of these launches: the arguments of each kind, its kernel, and the same on the host.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "cuda/launches.cuh"
#include "cuda/register.cuh"
#include "proxies/networks/conv2d_cublas.cuh"
#include "proxies/networks/conv2d_cudnn.cuh"
#include "proxies/networks/conv2d_tiles.cuh"
#include "proxies/networks/conv2d_transforms.cuh"

namespace plumbline {
namespace {

/// The filters' numbers are laid side by side, column by column, in the order of a gather's patches.
template <class Real>
struct ConvPanel {
  ConvGather gather;
  const Real* filters;
  Real* panel;

  PLUMBLINE_BOTH static void element(const ConvPanel& x, std::size_t i) {
    const auto at = static_cast<unsigned>(i);
    const unsigned depth = x.gather.depth(), strip = x.gather.patches.strip, in_column = at % depth;
    x.panel[i] = x.filters[x.gather.filter_at(at / depth, in_column / strip, in_column % strip)];
  }
};

/// The patches of one image are copied, side by side.
template <class Real>
struct ConvColumns {
  ConvGather gather;  // of the image
  const Real* image;
  Real* columns;

  PLUMBLINE_BOTH static void element(const ConvColumns& x, std::size_t i) {
    const auto at = static_cast<unsigned>(i);
    const unsigned depth = x.gather.depth(), strip = x.gather.patches.strip, in_patch = at % depth;
    x.columns[i] = x.image[static_cast<std::size_t>(x.gather.patches.at(x.gather.patch(at / depth), in_patch / strip, in_patch % strip))];
  }
};

/// Results are products of patches and panels; so are those of further matrices, of Winograd's, which lie so many numbers apart.
template <class Real>
struct ConvProduct {
  ConvGather gather;
  const Real *in, *panel;
  ConvSum<Real>* out;
  unsigned matrices = 1;
  std::size_t in_apart = 0, panel_apart = 0, out_apart = 0;
};

/// Parts of the filters' gradient: products of patches of some points and the outputs' gradient there.
template <class Real>
struct ConvGradient {
  ConvGrid points;                       // of all outputs
  unsigned depth, filters, strip, line;  // rows and columns of the gradient; rows in a line of a patch; numbers in one of an image
  std::size_t image, step;               // numbers of an image, and from one output's patch to the next
  std::size_t step_down;                 // and to the one below
  ConvSplit split;
  const Real *images, *outputs;
  ConvSum<Real>* parts;

  PLUMBLINE_BOTH std::size_t patch(unsigned i) const {
    const ConvPoint p = points.point(i);
    return p.image * image + p.row * step_down + p.column * step;
  }
  PLUMBLINE_BOTH int row(unsigned d) const { return d < depth ? static_cast<int>(d / strip * line + d % strip) : -1; }
  PLUMBLINE_BOTH std::size_t output(unsigned i) const { return std::size_t{i} * filters; }
  PLUMBLINE_BOTH int column(unsigned n) const { return n < filters ? static_cast<int>(n) : -1; }
  PLUMBLINE_BOTH unsigned end(unsigned first) const { return points.size() - first < split.points ? points.size() : first + split.points; }
};

/// A number of the filters' gradient is the sum of its parts.
template <class Sum>
struct ConvPartSum {
  const Sum* parts;
  Sum* out;
  std::size_t size;
  unsigned count;

  PLUMBLINE_BOTH static void element(const ConvPartSum& x, std::size_t i) {
    Sum sum = x.parts[i];
#pragma unroll 1
    for (unsigned part = 1; part < x.count; ++part) sum = cuda::plus(sum, x.parts[part * x.size + i]);
    x.out[i] = sum;
  }
};

/// All that a step launches, in order: a phase has one kind of them.
template <class Real>
struct ConvLaunches {
  ConvVariant variant = ConvVariant::implicit;
  ConvByCublas<Real>* cublas = nullptr;
  ConvByCudnn<Real>* cudnn = nullptr;
  std::vector<ConvPanel<Real>> panels = {};
  std::vector<ConvFilterTransform<Real>> filters = {};
  std::vector<ConvImageTransform<Real>> tiles = {};
  std::vector<ConvOutputTransform<ConvSum<Real>>> outputs = {};
  std::vector<ConvColumns<Real>> columns = {};
  std::vector<ConvProduct<Real>> products = {};
  std::vector<ConvGradient<Real>> gradients = {};
  std::vector<ConvPartSum<ConvSum<Real>>> sums = {};
};

template <class Real, class Factor, unsigned wide>
__global__ void __launch_bounds__(conv_threads, conv_blocks) conv_products(const __grid_constant__ ConvProduct<Real> x) {
  using Lined = ConvLined<Real, Factor>;
  const unsigned column_tiles = (x.gather.outer + conv_tile - 1) / conv_tile, first_column = blockIdx.x % column_tiles * conv_tile,
                 first_row = blockIdx.x / column_tiles * conv_tile;
  const std::size_t matrix = blockIdx.y;
  Lined patches(x.in + matrix * x.in_apart, x.gather.patches, [&](unsigned i) { return x.gather.patch(first_row + i); });
  Lined columns(x.panel + matrix * x.panel_apart, x.gather.filter(), [&](unsigned i) { return x.gather.column(first_column + i); });
  ConvSumsOf<Factor, wide> sums;
  conv_multiply<Lined, Lined, Factor>(
      sums, x.gather.template steps<Factor>(), [&](auto& to) { patches.load(to); }, [&](auto& to) { columns.load(to); });
  sums.each([&](unsigned row, unsigned column, auto vector) {
    if (first_row + row < x.gather.points.size() && first_column + column < x.gather.outer)
      *reinterpret_cast<decltype(vector)*>(x.out + matrix * x.out_apart + x.gather.out(first_row + row) + first_column + column) = vector;
  });
}

template <class Real, class Factor, unsigned wide>
__global__ void __launch_bounds__(conv_threads, conv_blocks) conv_gradients(const __grid_constant__ ConvGradient<Real> x) {
  using Pointed = ConvPointed<Real, Factor>;
  const unsigned first_row = blockIdx.x * conv_tile, first_column = blockIdx.y * conv_tile, first_point = blockIdx.z * x.split.points,
                 end = x.end(first_point);
  Pointed patches(x.images, first_point, end, [&](unsigned i) { return x.row(first_row + i); });
  Pointed outputs(x.outputs, first_point, end, [&](unsigned i) { return x.column(first_column + i); });
  ConvSumsOf<Factor, wide> sums;
  conv_multiply<Pointed, Pointed, Factor>(
      sums, x.split.points / conv_depth_step<Factor>, [&](auto& to) { patches.load(to, [&](unsigned i) { return x.patch(i); }); },
      [&](auto& to) { outputs.load(to, [&](unsigned i) { return x.output(i); }); });
  sums.each([&](unsigned row, unsigned column, auto vector) {
    if (first_row + row < x.depth && first_column + column < x.filters)
      *reinterpret_cast<decltype(vector)*>(x.parts + (std::size_t{blockIdx.z} * x.depth + first_row + row) * x.filters + first_column +
                                           column) = vector;
  });
}

/// Tells the next launch's facts: of tiles that are stored in part, threads store more or less.
void tell_launch(const dim3& grid, unsigned steps, bool is_whole) {
  if (is_whole)
    cuda::next_launch(std::uint64_t{grid.x} * grid.y * grid.z * conv_threads, {std::uint64_t{steps} - 1}, true);
  else
    cuda::next_launch_untold("the last tiles of the result are not whole");
}

template <class Factor, unsigned wide, class Real>
void launch_product(const ConvProduct<Real>& x) {
  const dim3 grid(x.gather.row_tiles() * x.gather.column_tiles(), x.matrices);
  tell_launch(grid, x.gather.template steps<Factor>(), x.gather.is_whole());
  conv_products<Real, Factor, wide><<<grid, conv_threads, 0, cuda::stream()>>>(x);
}
template <class Factor, unsigned wide, class Real>
void launch_gradient(const ConvGradient<Real>& x) {
  const dim3 grid(conv_parts(x.depth, conv_tile), conv_parts(x.filters, conv_tile), x.split.parts);
  tell_launch(grid, x.split.points / conv_depth_step<Factor>, x.depth % conv_tile == 0 && x.filters % conv_tile == 0);
  conv_gradients<Real, Factor, wide><<<grid, conv_threads, 0, cuda::stream()>>>(x);
}

/// Gives act<Factor>() with the type that numbers of a variant are multiplied as.
template <class Real, class Act>
auto with_factor(ConvVariant variant, Act act) {
  if constexpr (std::is_same_v<Real, Fp16>)
    if (variant == ConvVariant::converted) return act.template operator()<float>();
  return act.template operator()<Real>();
}

template <class Real>
void launch_outputs(const ConvOutputTransform<Real>& x) {
  if (x.is_whole())
    cuda::next_launch(x.size(), {}, true);
  else
    cuda::next_launch_untold("threads part ways: those of the last tiles store less");
  cuda::queue_elements<ConvOutputTransform<Real>>(x, 0, x.size());
}

/// Calls act<wide>() with the numbers that a thread stores at once in rows of so many.
template <class Factor, class Act>
void with_width(unsigned columns, Act act) {
  constexpr unsigned wide = conv_by_tensor_cores<Factor> ? 2 : 16 / sizeof(Factor);
  if constexpr (!conv_by_tensor_cores<Factor>)
    if (columns % wide != 0) return act.template operator()<1>();
  act.template operator()<wide>();
}

/// The sum over the depth of a tile's products, on the host; a(tap, e) and b(tap, e) are factors.
template <class Sum, class Left, class Right>
Sum summed(unsigned taps, unsigned depth, Left a, Right b) {
  Sum sum = 0;
  for (unsigned tap = 0; tap < taps; ++tap)
    for (unsigned e = 0; e < depth; ++e) sum = cuda::fused(a(tap, e), b(tap, e), sum);
  return sum;
}
template <class Sum, class Real>
Sum factor(const Real* from, int at, bool has) {
  return has ? Sum(static_cast<double>(from[at])) : Sum(0);
}
/// Calls act(row, column) for each sum of whole tiles.
template <class Act>
void for_each_sum(std::uint64_t rows, std::uint64_t columns, Act act) {
  for (unsigned row = 0; row < conv_parts(rows, conv_tile) * conv_tile; ++row)
    for (unsigned column = 0; column < conv_parts(columns, conv_tile) * conv_tile; ++column) act(row, column);
}

template <class Factor, class Real>
void product_on_host(const ConvProduct<Real>& x) {
  using Sum = ConvSum<Factor>;
  const ConvGather& g = x.gather;
  const ConvLines patches = g.patches, filter = g.filter();
  for (unsigned matrix = 0; matrix < x.matrices; ++matrix)
    for_each_sum(g.points.size(), g.outer, [&](unsigned row, unsigned column) {
      const ConvRow patch = g.patch(row), of_filter = g.column(column);
      const Real *const in = x.in + matrix * x.in_apart + patch.image, *const panel = x.panel + matrix * x.panel_apart;
      const auto sum = summed<Sum>(
          g.taps, g.template steps<Factor>() / g.taps * conv_depth_step<Factor>,
          [&](unsigned tap, unsigned e) { return factor<Sum>(in, patches.at(patch, tap, e), patches.has(patch, tap, e)); },
          [&](unsigned tap, unsigned e) { return factor<Sum>(panel, filter.at(of_filter, tap, e), filter.has(of_filter, tap, e)); });
      if (row < g.points.size() && column < g.outer) x.out[matrix * x.out_apart + g.out(row) + column] = sum;
    });
}
template <class Factor, class Real>
void gradient_on_host(const ConvGradient<Real>& x) {
  using Sum = ConvSum<Factor>;
  for (unsigned part = 0; part < x.split.parts; ++part) {
    const unsigned first = part * x.split.points, end = x.end(first);
    for_each_sum(x.depth, x.filters, [&](unsigned row, unsigned column) {
      const int d = x.row(row), n = x.column(column);
      const auto sum = summed<Sum>(
          1, x.split.points, [&](unsigned, unsigned i) { return factor<Sum>(x.images + x.patch(first + i), d, first + i < end && d >= 0); },
          [&](unsigned, unsigned i) { return factor<Sum>(x.outputs + x.output(first + i), n, first + i < end && n >= 0); });
      if (d >= 0 && n >= 0) x.parts[(std::size_t{part} * x.depth + row) * x.filters + column] = sum;
    });
  }
}

}  // namespace
}  // namespace plumbline
