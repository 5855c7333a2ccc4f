// A convolution of images, and its gradients by the images and by the filters, as frameworks for deep learning compute them (Yang, Kurth,
// Williams 2019, equation 5; Wang, Yang, Farrell, Zhang, Kurth, Williams 2020): no padding, channels innermost (NHWC).
#include <algorithm>
#include <cstdint>
#include <memory_resource>
#include <string>
#include <vector>

#include "conv2d.flavors.hpp"
#include "core/application.hpp"
#include "core/array.hpp"
#include "core/rounding.hpp"
#include "proxies/networks/conv2d_facts.hpp"
#include "proxies/networks/conv2d_libraries.hpp"
#include "proxies/networks/conv2d_loop.hpp"
#include "proxies/networks/conv2d_reference.hpp"
#include "proxies/networks/conv2d_work.hpp"

namespace plumbline {
namespace {

/// Throws std::invalid_argument where bf16 has no such convolution: it is multiplied by pairs that lie side by side.
void refuse_bf16(const ConvShape& s) {
  if (s.variant != ConvVariant::implicit) refuse_convolution("variant is not one of bf16, which has variant=implicit alone");
  const bool is_forward = s.direction == ConvDirection::forward, is_by_images = s.direction == ConvDirection::backward_data;
  const std::uint64_t of_channels = is_forward ? 2 : is_by_images ? 16 : 1, of_filters = is_by_images ? 2 : 16;
  const auto refuse = [](const char* name, std::uint64_t is, std::uint64_t whole) {
    refuse_convolution(std::string(name) + " = " + std::to_string(is) + " is no multiple of " + std::to_string(whole) +
                       ", which bf16 needs in this direction");
  };
  if (s.channels % of_channels != 0) refuse("channels", s.channels, of_channels);
  if (s.filters % of_filters != 0) refuse("filters", s.filters, of_filters);
}

/// Throws std::invalid_argument where a precision has no such convolution.
template <class Real>
void refuse_precision(const ConvShape& s) {
  if constexpr (std::is_same_v<Real, Bf16>) refuse_bf16(s);
  if constexpr (std::is_same_v<Real, Fp16>)
    if (s.variant == ConvVariant::winograd) refuse_convolution("variant = winograd takes more digits than fp16 has");
  refuse_unsure_sums<typename ProductSum<Real>::type>(s);
}

template <class Real>
ApplicationWork conv_work(const ConvShape& s, std::string_view flavor) {
  const ConvWork<Real> work(s, flavor);
  ApplicationWork conv;
  conv.data_bytes = work.data_bytes();
  switch (s.variant) {
    case ConvVariant::implicit:
      if (s.direction == ConvDirection::forward) conv.phases = {{"filters", work.pack()}, {"products", work.forward()}};
      if (s.direction == ConvDirection::backward_data) conv.phases = {{"filters", work.turn()}, {"products", work.backward_data()}};
      if (s.is_paired())
        conv.phases = {{"patches", work.pair_image()}, {"gradient", work.pair_gradient()}, {"products", work.paired_weights()}};
      else if (s.direction == ConvDirection::backward_weights)
        conv.phases = {{"products", work.backward_weights()}};
      break;
    case ConvVariant::im2col:
      conv.phases = {{"filters", work.pack()}, {"columns", work.columns(), s.images}, {"products", work.column_products(), s.images}};
      break;
    case ConvVariant::converted:  // is a GPU's: here fp16 has FMAs of its own
      break;
    case ConvVariant::winograd:
      conv.phases = {{"filters", work.transform_filters()},
                     {"image", work.transform_image(), s.images},
                     {"products", work.tile_products(), s.images},
                     {"output", work.transform_tiles(), s.images}};
      break;
  }
  return conv;
}

template <class Real>
class ConvCase final : public ApplicationData {
 public:
  using Arguments = Conv2d<Real>;
  using Sum = typename ProductSum<Real>::type;

  static ApplicationWork application(const Parameters& p, std::string_view flavor) {
    const ConvShape s(p, ProductFactor<Real>::numbers);
    refuse_precision<Real>(s);
    ApplicationWork conv = conv_work<Real>(s, flavor);
    if (flavor == openblas_flavor) take_openblas(conv, s, sizeof(Real));
    if (flavor == onednn_flavor) take_onednn(conv, s);
    return conv;
  }

  ConvCase(const Parameters& p, std::pmr::memory_resource& memory)
      : s_(p, ProductFactor<Real>::numbers),
        images_(s_.direction == ConvDirection::backward_data ? 1 : s_.images * s_.image(), memory),
        filters_(s_.direction == ConvDirection::backward_weights ? 1 : s_.weights(), memory),
        outputs_(s_.direction == ConvDirection::forward ? 1 : s_.images * s_.output(), memory),
        results_(s_.results(), memory),
        panels_(s_.panels(), memory),
        between_(s_.between(), memory),
        products_(s_.tile_products(), memory) {
    arguments_.reserve(1 + 3 * s_.images);
    if (s_.variant == ConvVariant::implicit) plan_implicit();
    if constexpr (std::is_same_v<Real, Sum>) {
      if (s_.variant == ConvVariant::im2col) plan_im2col();
      if (s_.variant == ConvVariant::winograd) plan_winograd();
    }
  }

  const std::vector<Step>& steps() const override { return schedule_; }

  /// Rows of the images; of every other array a like share.
  std::size_t extent() const override { return s_.images * s_.width; }
  void initialise(std::size_t begin, std::size_t end) override {
    fill(images_, begin, end, ConvReference<Real>::images);
    fill(filters_, begin, end, ConvReference<Real>::filters);
    fill(outputs_, begin, end, ConvReference<Real>::outputs);
    for (Array<Real>* const array : {&panels_, &between_}) fill(*array, begin, end, s_.is_paired() ? zeros : unknown);
    for (Array<Sum>* const array : {&products_, &results_}) fill(*array, begin, end, unknown);
  }

  double error() const override { return ConvReference<Real>(s_).error(results_); }
  /// All terms are positive, but for Winograd's; the first passes one product and a sum for each.
  double tolerance() const override {
    if (s_.variant == ConvVariant::winograd) return conv_winograd_tolerance<Real>(s_.channels);
    return probable_rounding_bound<Sum>(static_cast<double>(s_.terms()) + 1);
  }

 private:
  static constexpr std::size_t library_rows = 8;          // of an output: so a library's kernels pad the last rows of a call alone
  static constexpr std::uint64_t zeros = 0, unknown = 4;  // what arrays hold before a sweep, beside varied numbers

  const Real* image(std::uint64_t i) const { return images_.data() + i * s_.image(); }
  Sum* output(std::uint64_t i) { return results_.data() + i * s_.output(); }

  template <class Number>
  void fill(Array<Number>& array, std::size_t begin, std::size_t end, std::uint64_t stream) {
    for (std::size_t i = array.size() * begin / extent(); i < array.size() * end / extent(); ++i)
      array[i] = Number(stream == zeros ? 0.0 : stream == unknown ? 0.5 : varied(stream, i));
  }

  Arguments* planned(ConvLoop loop, const Real* in, Sum* out) {
    arguments_.push_back({.loop = loop,
                          .images = s_.images,
                          .width = s_.width,
                          .channels = s_.channels,
                          .filters = s_.filters,
                          .kernel = s_.kernel,
                          .stride = s_.stride,
                          .side = s_.side(),
                          .in = in,
                          .right = filters_.data(),
                          .panels = panels_.data(),
                          .out = out,
                          .half = Real(0.5)});
    return &arguments_.back();
  }
  /// Adds a step that is a phase of its own.
  void add_step(ConvLoop loop, std::size_t extent, const Real* in, Sum* out) {
    schedule_.push_back({.phase = schedule_.size(), .arguments = planned(loop, in, out), .extent = extent});
  }
  void plan_implicit() {
    switch (s_.direction) {
      case ConvDirection::forward:
        add_step(ConvLoop::pack, s_.depth(), nullptr, nullptr);
        return add_step(ConvLoop::forward, s_.output_rows(), images_.data(), results_.data());
      case ConvDirection::backward_data:
        add_step(ConvLoop::turn, s_.kernel * s_.kernel, nullptr, nullptr);
        return add_step(ConvLoop::backward_data, s_.images * s_.width, outputs_.data(), results_.data());
      case ConvDirection::backward_weights:
        return plan_backward_weights();
    }
  }
  void plan_backward_weights() {
    if (s_.is_paired()) {
      add_step(ConvLoop::pair_image, s_.images * s_.width, images_.data(), nullptr);
      arguments_.back().panels = between_.data();
      add_step(ConvLoop::pair_gradient, s_.output_rows(), nullptr, nullptr);
      arguments_.back().right = outputs_.data();
    }
    const std::uint64_t parts = (s_.strip() + conv_part_rows<Real> - 1) / conv_part_rows<Real>;  // of a strip
    add_step(ConvLoop::backward_weights, s_.kernel * parts, (s_.is_paired() ? between_ : images_).data(), results_.data());
    arguments_.back().right = (s_.is_paired() ? panels_ : outputs_).data();
  }

  void plan_im2col() {
    add_step(ConvLoop::pack, s_.depth(), nullptr, nullptr);
    for (std::uint64_t i = 0; i < s_.images; ++i) {
      schedule_.push_back({.phase = 1, .arguments = planned(ConvLoop::columns, image(i), between_.data()), .extent = s_.side()});
      schedule_.push_back({.phase = 2,
                           .arguments = planned(ConvLoop::column_products, between_.data(), output(i)),
                           .extent = s_.side(),
                           .grain = library_rows});
    }
  }
  void plan_winograd() {
    add_step(ConvLoop::transform_filters, s_.channels, nullptr, nullptr);
    for (std::uint64_t i = 0; i < s_.images; ++i) {
      const auto add = [&](std::size_t phase, ConvLoop loop, const Real* in, Sum* out) {
        schedule_.push_back({.phase = phase, .arguments = planned(loop, in, out), .extent = s_.tiles()});
      };
      add(1, ConvLoop::transform_image, image(i), between_.data());
      add(2, ConvLoop::tile_products, between_.data(), products_.data());
      add(3, ConvLoop::transform_tiles, products_.data(), output(i));
    }
  }

  ConvShape s_;
  Array<Real> images_, filters_, outputs_;  // of which one is not read
  Array<Sum> results_;                      // in its place
  Array<Real> panels_, between_;
  Array<Sum> products_;
  std::vector<Arguments> arguments_;
  std::vector<Step> schedule_;
};

std::span<const Flavor> all_flavors() {
  static const std::vector<Flavor> flavors = [] {
    std::vector<Flavor> all = with_openblas(conv2d_flavors, sweep_openblas<double>, sweep_openblas<float>);
    if (onednn().absent.empty()) all.push_back({onednn_flavor, "fp32", sweep_onednn});
    return all;
  }();
  return flavors;
}

std::vector<AbsentFlavor> absent_flavors() {
  std::vector<AbsentFlavor> absent = absent_openblas();
  if (!onednn().absent.empty()) absent.push_back({std::string(onednn_flavor), onednn().absent});
  return absent;
}

const Register<ConvCase, double, float, Bf16, Fp16> registered{
    conv2d_facts("2-D convolution and its gradients by implicit GEMM, im2col or Winograd (Yang, Kurth, Williams 2019, equation 5)",
                 // Rows that tiles do not divide, panels of every width, a product of two blocks, strides that leave points over.
                 {.edges = conv_points({{"forward", "implicit", 2, 20, 5, 67, 3, 2},
                                        {"forward", "implicit", 1, 8, 67, 19, 2, 1},
                                        {"forward", "implicit", 2, 12, 6, 48, 3, 2},
                                        {"forward", "implicit", 1, 12, 32, 80, 3, 2},
                                        {"forward", "implicit", 1, 4, 96, 16, 3, 1},
                                        {"backward_data", "implicit", 1, 9, 48, 32, 3, 2},
                                        {"backward_data", "implicit", 1, 9, 32, 6, 2, 2},
                                        {"backward_data", "implicit", 2, 12, 35, 7, 3, 2},
                                        {"backward_data", "implicit", 1, 9, 3, 131, 2, 2},
                                        {"backward_weights", "implicit", 2, 12, 7, 35, 3, 2},
                                        {"backward_weights", "implicit", 1, 4, 19, 67, 1, 1},
                                        {"backward_weights", "implicit", 1, 40, 17, 16, 2, 1},
                                        {"backward_weights", "implicit", 1, 12, 40, 48, 3, 2},
                                        {"forward", "im2col", 2, 10, 19, 35, 3, 2},
                                        {"forward", "winograd", 2, 8, 19, 35, 3, 1},
                                        {"forward", "winograd", 1, 9, 3, 2, 3, 1}}),
                  .caches = conv_points({{"forward", "implicit", 1, 6, 2, 3, 3, 1},
                                         {"forward", "implicit", 2, 20, 16, 16, 3, 2},
                                         {"forward", "implicit", 1, 12, 32, 40, 3, 1},
                                         {"backward_data", "implicit", 2, 20, 16, 16, 3, 2},
                                         {"backward_weights", "implicit", 2, 20, 16, 16, 3, 2},
                                         {"forward", "im2col", 2, 20, 8, 8, 3, 1},
                                         {"forward", "winograd", 2, 20, 8, 8, 3, 1},
                                         {"forward", "implicit", 2, 40, 8, 16, 5, 3}}),
                  .at_most = {{"images", std::int64_t{2}},
                              {"width", std::int64_t{7}},
                              {"channels", std::int64_t{8}},
                              {"kernel", std::int64_t{3}},
                              {"stride", std::int64_t{1}}}}),
    all_flavors, absent_flavors};

}  // namespace
}  // namespace plumbline
