// The convolution of conv2d.cpp on GPUs, as implicit products of matrices: blocks of threads gather tiles of patches and of the filters in
// shared memory. Numbers of 16 bits are multiplied by tensor cores.
#include "cuda/launches.cuh"
#include "cuda/register.cuh"
#include "proxies/networks/conv2d_facts.hpp"
#include "proxies/networks/conv2d_gpu_work.cuh"
#include "proxies/networks/conv2d_reference.hpp"
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
  std::vector<ConvPanel<Real>> panels = {};
  std::vector<ConvFilterTransform<Real>> filters = {};
  std::vector<ConvImageTransform<Real>> tiles = {};
  std::vector<ConvOutputTransform<ConvSum<Real>>> outputs = {};
  std::vector<ConvColumns<Real>> columns = {};
  std::vector<ConvProduct<Real>> products = {};
  std::vector<ConvGradient<Real>> gradients = {};
  std::vector<ConvPartSum<ConvSum<Real>>> sums = {};
};

template <class Real, unsigned wide>
__global__ void __launch_bounds__(conv_threads, conv_blocks) conv_products(const __grid_constant__ ConvProduct<Real> x) {
  using Lined = ConvLined<Real>;
  const unsigned column_tiles = (x.gather.outer + conv_tile - 1) / conv_tile, first_column = blockIdx.x % column_tiles * conv_tile,
                 first_row = blockIdx.x / column_tiles * conv_tile;
  const std::size_t matrix = blockIdx.y;
  Lined patches(x.in + matrix * x.in_apart, x.gather.patches, [&](unsigned i) { return x.gather.patch(first_row + i); });
  Lined columns(x.panel + matrix * x.panel_apart, x.gather.filter(), [&](unsigned i) { return x.gather.column(first_column + i); });
  ConvSumsOf<Real, wide> sums;
  conv_multiply<Lined, Lined, Real>(
      sums, x.gather.template steps<Real>(), [&](auto& to) { patches.load(to); }, [&](auto& to) { columns.load(to); });
  sums.each([&](unsigned row, unsigned column, auto vector) {
    if (first_row + row < x.gather.points.size() && first_column + column < x.gather.outer)
      *reinterpret_cast<decltype(vector)*>(x.out + matrix * x.out_apart + x.gather.out(first_row + row) + first_column + column) = vector;
  });
}

template <class Real, unsigned wide>
__global__ void __launch_bounds__(conv_threads, conv_blocks) conv_gradients(const __grid_constant__ ConvGradient<Real> x) {
  using Pointed = ConvPointed<Real>;
  const unsigned first_row = blockIdx.x * conv_tile, first_column = blockIdx.y * conv_tile, first_point = blockIdx.z * x.split.points,
                 end = x.end(first_point);
  Pointed patches(x.images, first_point, end, [&](unsigned i) { return x.row(first_row + i); });
  Pointed outputs(x.outputs, first_point, end, [&](unsigned i) { return x.column(first_column + i); });
  ConvSumsOf<Real, wide> sums;
  conv_multiply<Pointed, Pointed, Real>(
      sums, x.split.points / conv_depth_step<Real>, [&](auto& to) { patches.load(to, [&](unsigned i) { return x.patch(i); }); },
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

template <class Real, unsigned wide>
void launch_product(const ConvProduct<Real>& x) {
  const dim3 grid(x.gather.row_tiles() * x.gather.column_tiles(), x.matrices);
  tell_launch(grid, x.gather.template steps<Real>(), x.gather.is_whole());
  conv_products<Real, wide><<<grid, conv_threads, 0, cuda::stream()>>>(x);
}
template <class Real, unsigned wide>
void launch_gradient(const ConvGradient<Real>& x) {
  const dim3 grid(conv_parts(x.depth, conv_tile), conv_parts(x.filters, conv_tile), x.split.parts);
  tell_launch(grid, x.split.points / conv_depth_step<Real>, x.depth % conv_tile == 0 && x.filters % conv_tile == 0);
  conv_gradients<Real, wide><<<grid, conv_threads, 0, cuda::stream()>>>(x);
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
template <class Real, class Act>
void with_width(unsigned columns, Act act) {
  constexpr unsigned wide = conv_by_tensor_cores<Real> ? 2 : 16 / sizeof(Real);
  if constexpr (!conv_by_tensor_cores<Real>)
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
template <class Real>
ConvSum<Real> factor(const Real* from, int at, bool has) {
  return has ? ConvSum<Real>(static_cast<double>(from[at])) : ConvSum<Real>(0);
}
/// Calls act(row, column) for each sum of whole tiles.
template <class Act>
void for_each_sum(std::uint64_t rows, std::uint64_t columns, Act act) {
  for (unsigned row = 0; row < conv_parts(rows, conv_tile) * conv_tile; ++row)
    for (unsigned column = 0; column < conv_parts(columns, conv_tile) * conv_tile; ++column) act(row, column);
}

template <class Real>
void product_on_host(const ConvProduct<Real>& x) {
  const ConvGather& g = x.gather;
  const ConvLines patches = g.patches, filter = g.filter();
  for (unsigned matrix = 0; matrix < x.matrices; ++matrix)
    for_each_sum(g.points.size(), g.outer, [&](unsigned row, unsigned column) {
      const ConvRow patch = g.patch(row), of_filter = g.column(column);
      const Real *const in = x.in + matrix * x.in_apart + patch.image, *const panel = x.panel + matrix * x.panel_apart;
      const auto sum = summed<ConvSum<Real>>(
          g.taps, g.template steps<Real>() / g.taps * conv_depth_step<Real>,
          [&](unsigned tap, unsigned e) { return factor(in, patches.at(patch, tap, e), patches.has(patch, tap, e)); },
          [&](unsigned tap, unsigned e) { return factor(panel, filter.at(of_filter, tap, e), filter.has(of_filter, tap, e)); });
      if (row < g.points.size() && column < g.outer) x.out[matrix * x.out_apart + g.out(row) + column] = sum;
    });
}
template <class Real>
void gradient_on_host(const ConvGradient<Real>& x) {
  for (unsigned part = 0; part < x.split.parts; ++part) {
    const unsigned first = part * x.split.points, end = x.end(first);
    for_each_sum(x.depth, x.filters, [&](unsigned row, unsigned column) {
      const int d = x.row(row), n = x.column(column);
      const auto sum = summed<ConvSum<Real>>(
          1, x.split.points, [&](unsigned, unsigned i) { return factor(x.images + x.patch(first + i), d, first + i < end && d >= 0); },
          [&](unsigned, unsigned i) { return factor(x.outputs + x.output(first + i), n, first + i < end && n >= 0); });
      if (d >= 0 && n >= 0) x.parts[(std::size_t{part} * x.depth + row) * x.filters + column] = sum;
    });
  }
}

/// Throws std::invalid_argument where there is no such convolution here.
template <class Real>
void refuse_on_gpus(const ConvShape& s) {
  if (conv_by_tensor_cores<Real> && s.variant == ConvVariant::winograd)
    refuse_convolution("variant = winograd takes more digits than " + std::string(precision_of<Real>()) + " has");
  const auto refuse = [](const char* name, std::uint64_t is) {
    refuse_convolution(std::string(name) + " = " + std::to_string(is) + " is no multiple of 8, which tensor cores take at once");
  };
  if (conv_by_tensor_cores<Real> && s.channels % 8 != 0) refuse("channels", s.channels);
  if (conv_by_tensor_cores<Real> && s.filters % 8 != 0) refuse("filters", s.filters);
  const auto count_in_32_bits = [](const char* what, std::uint64_t is, const char* smaller) {
    if (is >= std::uint64_t{1} << 31)
      refuse_convolution(std::string(what) + " " + std::to_string(is) + ", and GPUs count below 2147483648: take a smaller " + smaller);
  };
  count_in_32_bits("the points of all images are", s.images * s.width * s.width, "images or width");
  count_in_32_bits("the numbers of an image are", s.image(), "width or channels");
  count_in_32_bits("the numbers of an output are", s.output(), "width or filters");
  count_in_32_bits("the numbers of the filters are", s.weights(), "kernel, channels or filters");
  if (s.variant == ConvVariant::im2col)
    count_in_32_bits("the numbers of an image's columns are", s.side() * s.side() * s.depth(),
                     "width, kernel or channels, or variant = implicit");
  if (s.variant == ConvVariant::winograd)
    count_in_32_bits("the numbers of an image's tiles are", s.tiles() * s.tiles() * std::max(s.channels, s.filters),
                     "width, channels or filters, or variant = implicit");
  refuse_unsure_sums<ConvSum<Real>>(s);
}

template <class Real>
class ConvCase final : public ApplicationData {
  using Sum = ConvSum<Real>;
  using Reference = ConvReference<Real>;

 public:
  using Arguments = ConvLaunches<Real>;
  static constexpr int from_architecture() { return std::is_same_v<Real, Bf16> ? 80 : conv_by_tensor_cores<Real> ? 75 : 0; }

  static ApplicationWork application(const Parameters& p, std::string_view) { return ConvGpuWork<Real>(shape(p)).application(); }

  ConvCase(const Parameters& p, DeviceMemory& memory)
      : s_(shape(p)),
        images_(s_.direction == ConvDirection::backward_data ? 1 : s_.images * s_.image(), memory),
        filters_(s_.direction == ConvDirection::backward_weights ? 1 : s_.weights(), memory),
        outputs_(s_.direction == ConvDirection::forward ? 1 : s_.images * s_.output(), memory),
        results_(s_.results(), memory),
        panels_(s_.panels(), memory),
        between_(s_.between(), memory),
        parts_(s_.direction == ConvDirection::backward_weights ? conv_split<Real>(s_).parts * s_.weights() : s_.tile_products(), memory) {
    arguments_.reserve(2 + 3 * s_.images);
    if (s_.direction == ConvDirection::backward_weights)
      plan_gradient();
    else if (s_.variant == ConvVariant::im2col)
      plan_columns();
    else if (s_.variant == ConvVariant::winograd)
      plan_winograd();
    else
      plan_products();
  }

  const std::vector<Step>& steps() const override { return schedule_; }

  /// A step is whole.
  std::size_t extent() const override { return 1; }
  void initialise(std::size_t begin, std::size_t end) override {
    if (begin == end) return;
    fill(images_, Reference::images);
    fill(filters_, Reference::filters);
    fill(outputs_, Reference::outputs);
    results_.fill(0, results_.size(), [](std::size_t) { return Sum(0.5); });
  }

  static void launch(const Arguments& x, std::size_t begin, std::size_t end) {
    if (begin == end) return;
    for (const auto& one : x.panels) cuda::launch_elements<ConvPanel<Real>>(one, 0, one.gather.panel_size());
    for (const auto& one : x.columns) cuda::launch_elements<ConvColumns<Real>>(one, 0, columns_of(one));
    if constexpr (!conv_by_tensor_cores<Real>) {
      for (const auto& one : x.filters) cuda::launch_elements<ConvFilterTransform<Real>>(one, 0, one.size());
      for (const auto& one : x.tiles) cuda::launch_elements<ConvImageTransform<Real>>(one, 0, one.size());
      for (const auto& one : x.outputs) launch_outputs(one);
    }
    for (const auto& one : x.products) with_width<Real>(one.gather.outer, [&]<unsigned wide>() { launch_product<Real, wide>(one); });
    for (const auto& one : x.gradients) with_width<Real>(one.filters, [&]<unsigned wide>() { launch_gradient<Real, wide>(one); });
    for (const auto& one : x.sums) cuda::launch_elements<ConvPartSum<Sum>>(one, 0, one.size, {std::uint64_t{one.count} - 1});
  }
  static void on_host(const Arguments& x, std::size_t begin, std::size_t end) {
    if (begin == end) return;
    for (const auto& one : x.panels) cuda::elements_on_host<ConvPanel<Real>>(one, 0, one.gather.panel_size());
    for (const auto& one : x.columns) cuda::elements_on_host<ConvColumns<Real>>(one, 0, columns_of(one));
    if constexpr (!conv_by_tensor_cores<Real>) {
      for (const auto& one : x.filters) cuda::elements_on_host<ConvFilterTransform<Real>>(one, 0, one.size());
      for (const auto& one : x.tiles) cuda::elements_on_host<ConvImageTransform<Real>>(one, 0, one.size());
      for (const auto& one : x.outputs) cuda::elements_on_host<ConvOutputTransform<Sum>>(one, 0, one.size());
    }
    for (const auto& one : x.products) product_on_host(one);
    for (const auto& one : x.gradients) gradient_on_host(one);
    for (const auto& one : x.sums) cuda::elements_on_host<ConvPartSum<Sum>>(one, 0, one.size);
  }

  double error() const override { return Reference(s_).error(results_.to_host()); }
  /// All terms are positive; Winograd's are not, and are rounded as on CPUs (conv2d.cpp). Tensor cores do not round their sums but cut them
  /// off, and what they add to them, at the digit that the largest has last (Fasi, Higham, Mikaitis, Pranesh 2021): a term loses two
  /// digits' worth at most with itself, and with every later one as much.
  double tolerance() const override {
    if (s_.variant == ConvVariant::winograd) return conv_winograd_tolerance<Real>(s_.channels);
    const bool in_parts = s_.direction == ConvDirection::backward_weights;
    const ConvSplit split = conv_split<Real>(s_);
    const double terms = in_parts ? split.points + split.parts : static_cast<double>(s_.terms());
    return conv_by_tensor_cores<Real> ? rounding_bound<Sum>(4 * terms) : probable_rounding_bound<Sum>(terms + 1);
  }

 private:
  static ConvShape shape(const Parameters& p) {
    const ConvShape s(p, 1);
    refuse_on_gpus<Real>(s);
    return s;
  }
  static std::size_t columns_of(const ConvColumns<Real>& x) { return std::size_t{x.gather.points.size()} * x.gather.depth(); }

  template <class Number>
  static void fill(DeviceArray<Number>& array, std::uint64_t stream) {
    array.fill(0, array.size(), [stream](std::size_t i) { return Number(varied(stream, i)); });
  }

  /// A step of that phase, whose launches are still to be told.
  Arguments& add_step(std::size_t phase) {
    arguments_.emplace_back();
    schedule_.push_back({.phase = phase, .arguments = &arguments_.back(), .extent = 1});
    return arguments_.back();
  }
  void plan_products() {
    const Real* const in = (s_.direction == ConvDirection::forward ? images_ : outputs_).data();
    Arguments &of_filters = add_step(0), &of_products = add_step(1);
    for (const ConvGather& gather : conv_gathers(s_)) {
      of_filters.panels.push_back({gather, filters_.data(), panels_.data() + gather.panel});
      of_products.products.push_back({gather, in, panels_.data() + gather.panel, results_.data()});
    }
  }
  void plan_columns() {
    const ConvGather gather = conv_column_gather(s_);
    add_step(0).panels.push_back({gather, filters_.data(), panels_.data()});
    for (std::uint64_t image = 0; image < s_.images; ++image) {
      add_step(1).columns.push_back({conv_image_gather(s_), images_.data() + image * s_.image(), between_.data()});
      add_step(2).products.push_back({gather, between_.data(), panels_.data(), results_.data() + image * s_.output()});
    }
  }
  void plan_winograd() {
    const unsigned channels = conv_number(s_.channels), filters = conv_number(s_.filters), tiles = conv_number(s_.tiles());
    add_step(0).filters.push_back({channels, filters, filters_.data(), panels_.data()});
    for (std::uint64_t image = 0; image < s_.images; ++image) {
      add_step(1).tiles.push_back({conv_number(s_.width), channels, tiles, images_.data() + image * s_.image(), between_.data()});
      add_step(2).products.push_back({.gather = conv_tile_gather(s_),
                                      .in = between_.data(),
                                      .panel = panels_.data(),
                                      .out = parts_.data(),
                                      .matrices = 16,
                                      .in_apart = between_.size() / 16,
                                      .panel_apart = panels_.size() / 16,
                                      .out_apart = parts_.size() / 16});
      add_step(3).outputs.push_back({conv_number(s_.side()), filters, tiles, parts_.data(), results_.data() + image * s_.output()});
    }
  }
  void plan_gradient() {
    const ConvSplit split = conv_split<Real>(s_);
    add_step(0).gradients.push_back({.points = ConvGrid(s_.images, s_.side(), s_.side()),
                                     .depth = conv_number(s_.depth()),
                                     .filters = conv_number(s_.filters),
                                     .strip = conv_number(s_.strip()),
                                     .line = conv_number(s_.width * s_.channels),
                                     .image = s_.image(),
                                     .step = s_.stride * s_.channels,
                                     .step_down = s_.stride * s_.width * s_.channels,
                                     .split = split,
                                     .images = images_.data(),
                                     .outputs = outputs_.data(),
                                     .parts = parts_.data()});
    add_step(1).sums.push_back({parts_.data(), results_.data(), s_.weights(), split.parts});
  }

  ConvShape s_;
  DeviceArray<Real> images_, filters_, outputs_;  // of which one is not read
  DeviceArray<Sum> results_;                      // in its place
  DeviceArray<Real> panels_, between_;
  DeviceArray<Sum> parts_;  // or Winograd's products
  std::vector<Arguments> arguments_;
  std::vector<Step> schedule_;
};

const cuda::Register<ConvCase, double, float, Fp16, Bf16> registered{
    conv2d_facts("2-D convolution and its gradients by implicit GEMM, im2col or Winograd, 16-bit numbers by tensor cores (Yang, Kurth, "
                 "Williams 2019, equation 5)",
                 // Whole tiles and others, steps that a strip does not fill, rows that no vector divides, strides that leave points over,
                 // patches over the rim of the outputs, a gradient of one part and of some.
                 {.edges = conv_points({{"forward", "implicit", 2, 9, 3, 5, 3, 2},
                                        {"forward", "implicit", 3, 11, 24, 72, 3, 1},
                                        {"forward", "implicit", 4, 9, 16, 64, 2, 1},
                                        {"forward", "im2col", 2, 17, 8, 64, 3, 2},
                                        {"forward", "winograd", 2, 9, 5, 3, 3, 1},
                                        {"forward", "winograd", 2, 18, 16, 64, 3, 1},
                                        {"forward", "winograd", 1, 17, 24, 72, 3, 1},
                                        {"backward_data", "implicit", 2, 9, 5, 3, 3, 2},
                                        {"backward_data", "implicit", 1, 11, 8, 16, 3, 2},
                                        {"backward_data", "implicit", 4, 8, 64, 8, 2, 2},
                                        {"backward_data", "implicit", 4, 16, 64, 16, 3, 2},
                                        {"backward_data", "implicit", 1, 8, 64, 40, 3, 1},
                                        {"backward_weights", "implicit", 2, 9, 3, 5, 3, 2},
                                        {"backward_weights", "implicit", 2, 9, 8, 72, 3, 2},
                                        {"backward_weights", "implicit", 2, 17, 16, 64, 2, 1},
                                        {"backward_weights", "implicit", 1, 24, 16, 64, 2, 1}}),
                  .at_most = {{"images", std::int64_t{2}},
                              {"width", std::int64_t{9}},
                              {"channels", std::int64_t{8}},
                              {"filters", std::int64_t{8}},
                              {"kernel", std::int64_t{3}},
                              {"stride", std::int64_t{2}}}})};

}  // namespace
}  // namespace plumbline
