// The convolution of conv2d.cpp on GPUs, as implicit products of matrices: blocks of threads gather tiles of patches and of the filters in
// shared memory. Numbers of 16 bits are multiplied by tensor cores, or converted first.
#include "cuda/register.cuh"
#include "proxies/networks/conv2d_facts.hpp"
#include "proxies/networks/conv2d_gpu_work.cuh"
#include "proxies/networks/conv2d_launches.cuh"
#include "proxies/networks/conv2d_reference.hpp"

namespace plumbline {
namespace {

/// Throws std::invalid_argument where there is no such convolution here.
template <class Real>
void refuse_on_gpus(const ConvShape& s) {
  const bool converts = s.variant == ConvVariant::converted, by_tensor_cores = conv_by_tensor_cores<Real> && !converts;
  if (converts && !std::is_same_v<Real, Fp16>)
    refuse_convolution("variant = converted is one of fp16, whose numbers are multiplied in fp32, and this is " +
                       std::string(precision_of<Real>()));
  if (conv_by_tensor_cores<Real> && s.variant == ConvVariant::winograd)
    refuse_convolution("variant = winograd takes more digits than " + std::string(precision_of<Real>()) + " has");
  const auto refuse = [](const char* name, std::uint64_t is) {
    refuse_convolution(std::string(name) + " = " + std::to_string(is) + " is no multiple of 8, which tensor cores take at once");
  };
  if (by_tensor_cores && s.channels % 8 != 0) refuse("channels", s.channels);
  if (by_tensor_cores && s.filters % 8 != 0) refuse("filters", s.filters);
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

  static ApplicationWork application(const Parameters& p, std::string_view flavor) {
    const ConvShape s = shape(p);
    ApplicationWork conv = with_factor<Real>(s.variant, [&]<class Factor>() { return ConvGpuWork<Real, Factor>(s).application(); });
    if (flavor == cublas_flavor) take_cublas<Real>(conv, s);
    if constexpr (conv_has_cudnn<Real>)
      if (flavor == cudnn_flavor) take_cudnn<Real>(conv, s);
    return conv;
  }

  ConvCase(const Parameters& p, DeviceMemory& memory)
      : s_(shape(p)),
        images_(s_.direction == ConvDirection::backward_data ? 1 : s_.images * s_.image(), memory),
        filters_(s_.direction == ConvDirection::backward_weights ? 1 : s_.weights(), memory),
        outputs_(s_.direction == ConvDirection::forward ? 1 : s_.images * s_.output(), memory),
        results_(s_.results(), memory),
        panels_(s_.panels(), memory),
        between_(s_.between(), memory),
        parts_(s_.direction == ConvDirection::backward_weights ? split().parts * s_.weights() : s_.tile_products(), memory),
        cublas_(s_, filters_.data(), memory),
        cudnn_(s_, {images_.data(), panels_.data(), outputs_.data(), results_.data()}, memory) {
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
    with_factor<Real>(x.variant, [&]<class Factor>() {
      for (const auto& one : x.products) with_width<Factor>(one.gather.outer, [&]<unsigned wide>() { launch_product<Factor, wide>(one); });
      for (const auto& one : x.gradients) with_width<Factor>(one.filters, [&]<unsigned wide>() { launch_gradient<Factor, wide>(one); });
    });
    for (const auto& one : x.sums) cuda::launch_elements<ConvPartSum<Sum>>(one, 0, one.size, {std::uint64_t{one.count} - 1});
  }
  static std::vector<cuda::Library> libraries() {
    std::vector<cuda::Library> all;
    if constexpr (conv_has_cublas<Real>)
      all.push_back({cublas_flavor, &cuda::sweep_by<Arguments, &ConvCase::launch_by_cublas>, cublas_absent()});
    if constexpr (conv_has_cudnn<Real>)
      all.push_back({cudnn_flavor, &cuda::sweep_by<Arguments, &ConvCase::launch_by_cudnn>, cudnn_absent()});
    return all;
  }
  static void launch_by_cublas(const Arguments& x, std::size_t begin, std::size_t end) {
    if (begin == end) return;
    for (const auto& one : x.columns) cuda::launch_elements<ConvColumns<Real>>(one, 0, columns_of(one));
    for (const auto& one : x.products) x.cublas->queue(one.in, one.out);
  }
  static void launch_by_cudnn(const Arguments& x, std::size_t begin, std::size_t end) {
    if (begin == end) return;
    ConvByCudnn<Real>& library = *x.cudnn;
    if (!x.panels.empty()) {  // as of a forward one, whatever the direction
      ConvPanel<Real> filters = x.panels.front();
      filters.gather = conv_image_gather(library.shape());
      return cuda::launch_elements<ConvPanel<Real>>(filters, 0, filters.gather.panel_size());
    }
    if (x.sums.empty()) library.queue();
    if (const auto brought = library.brought(); brought && x.gradients.empty())
      cuda::launch_elements<ConvBrought<Real>>(*brought, 0, library.shape().results());
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
    with_factor<Real>(x.variant, [&]<class Factor>() {
      for (const auto& one : x.products) product_on_host<Factor>(one);
      for (const auto& one : x.gradients) gradient_on_host<Factor>(one);
    });
    for (const auto& one : x.sums) cuda::elements_on_host<ConvPartSum<Sum>>(one, 0, one.size);
  }

  double error() const override { return Reference(s_).error(results_.to_host()); }
  /// All terms are positive; Winograd's are not, and are rounded as on CPUs (conv2d.cpp). Tensor cores do not round their sums but cut them
  /// off, and what they add to them, at the digit that the largest has last (Fasi, Higham, Mikaitis, Pranesh 2021): a term loses two
  /// digits' worth at most with itself, and with every later one as much.
  double tolerance() const override {
    if (s_.variant == ConvVariant::winograd) return conv_winograd_tolerance<Real>(s_.channels);
    const bool in_parts = s_.direction == ConvDirection::backward_weights;
    const double terms = in_parts ? split().points + split().parts : static_cast<double>(s_.terms());
    return (is_by_tensor_cores() ? rounding_bound<Sum>(4 * terms) : probable_rounding_bound<Sum>(terms + 1)) + cudnn_.rounding();
  }

 private:
  static ConvShape shape(const Parameters& p) {
    const ConvShape s(p, 1);
    refuse_on_gpus<Real>(s);
    return s;
  }
  bool is_by_tensor_cores() const { return conv_by_tensor_cores<Real> && s_.variant != ConvVariant::converted; }
  ConvSplit split() const {
    return with_factor<Real>(s_.variant, [&]<class Factor>() { return conv_split<Factor>(s_); });
  }
  static std::size_t columns_of(const ConvColumns<Real>& x) { return std::size_t{x.gather.points.size()} * x.gather.depth(); }

  template <class Number>
  static void fill(DeviceArray<Number>& array, std::uint64_t stream) {
    array.fill(0, array.size(), [stream](std::size_t i) { return Number(varied(stream, i)); });
  }

  /// A step of that phase, whose launches are still to be told.
  Arguments& add_step(std::size_t phase) {
    arguments_.emplace_back(Arguments{.variant = s_.variant, .cublas = &cublas_, .cudnn = &cudnn_});
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
    const ConvSplit of_points = split();
    add_step(0).gradients.push_back({.points = ConvGrid(s_.images, s_.side(), s_.side()),
                                     .depth = conv_number(s_.depth()),
                                     .filters = conv_number(s_.filters),
                                     .strip = conv_number(s_.strip()),
                                     .line = conv_number(s_.width * s_.channels),
                                     .image = s_.image(),
                                     .step = s_.stride * s_.channels,
                                     .step_down = s_.stride * s_.width * s_.channels,
                                     .split = of_points,
                                     .images = images_.data(),
                                     .outputs = outputs_.data(),
                                     .parts = parts_.data()});
    add_step(1).sums.push_back({parts_.data(), results_.data(), s_.weights(), of_points.parts});
  }

  ConvShape s_;
  DeviceArray<Real> images_, filters_, outputs_;  // of which one is not read
  DeviceArray<Sum> results_;                      // in its place
  DeviceArray<Real> panels_, between_;
  DeviceArray<Sum> parts_;  // or Winograd's products
  ConvByCublas<Real> cublas_;
  ConvByCudnn<Real> cudnn_;
  std::vector<Arguments> arguments_;
  std::vector<Step> schedule_;
};

KernelFacts conv2d_facts_of_gpu() {
  KernelFacts all = conv2d_facts(
      "2-D convolution and its gradients by implicit GEMM, im2col or Winograd, 16-bit numbers by tensor cores (Yang, Kurth, "
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
                             {"forward", "converted", 2, 9, 3, 5, 3, 2},
                             {"forward", "converted", 4, 9, 16, 64, 2, 1},
                             {"backward_data", "converted", 4, 8, 64, 8, 2, 2},
                             {"backward_data", "converted", 4, 16, 64, 16, 3, 2},
                             {"backward_weights", "converted", 2, 9, 3, 5, 3, 2},
                             {"backward_weights", "converted", 2, 17, 16, 64, 2, 1},
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
                   {"stride", std::int64_t{2}}}});
  ParameterSpec& variant = *std::ranges::find(all.parameters, "variant", &ParameterSpec::name);
  variant.choices.push_back("converted");
  variant.description += "; converted (fp16): as implicit, but numbers become fp32 in shared memory, and no tensor core multiplies them";
  return all;
}

const cuda::Register<ConvCase, double, float, Fp16, Bf16> conv2d_registered{conv2d_facts_of_gpu()};

}  // namespace
}  // namespace plumbline
