// 2-D convolution of one image, without padding and with unit stride (Yang, Kurth, Williams 2019, equation 5), as a matrix product.
#include <stdexcept>

#include "conv2d.flavors.hpp"
#include "core/kernel_data.hpp"
#include "proxies/conv2d_loop.hpp"

namespace plumbline {
namespace {

struct Shape {
  std::uint64_t width, channels, filters, kernel;

  explicit Shape(const Parameters& p)
      : width(p.integer("width")), channels(p.integer("channels")), filters(p.integer("filters")), kernel(p.integer("kernel")) {
    if (kernel > width)
      throw std::invalid_argument("proxies/conv2d: kernel = " + std::to_string(kernel) +
                                  " is wider than the image, width = " + std::to_string(width));
  }
  std::uint64_t side() const { return width - kernel + 1; }
  std::uint64_t points() const { return side() * side(); }
  std::uint64_t depth() const { return kernel * kernel * channels; }
};

template <class Real>
class Conv2dCase final : public KernelData<Conv2d<Real>> {
 public:
  static Work model(const Parameters& p, std::string_view) {
    const Shape s(p);
    const std::uint64_t real = sizeof(Real), products = s.points() * s.depth() * s.filters;
    const std::uint64_t patch = s.depth() * real, patches = s.points() * patch, weights = patch * s.filters, out = s.filters * real;
    const std::uint64_t image_rows = s.kernel * s.width * s.channels * real, row = image_rows + s.side() * (patch + out) + weights;
    Work work{
        .flops = flops<Real>({"add", "mul"}, products),  // 0 + a w + a w + ...
        .streams = {
            {.array = "image",
             .footprint_bytes = s.width * s.width * s.channels * real,
             .read = true,
             .loads = s.points() * s.depth(),
             .element_bytes = real,
             // Neighbouring patches overlap, and so do neighbouring rows of them.
             .layers = {{.reuse_bytes = 2 * patch, .fetched_bytes = patches},
                        {.reuse_bytes = row, .fetched_bytes = s.side() * image_rows}}},
            {.array = "columns", .footprint_bytes = patches, .written = true, .stores = s.points() * s.depth(), .element_bytes = real},
            {.array = "columns, read",
             .read = true,
             .loads = products,
             .element_bytes = real,
             .layers = {{.reuse_bytes = 2 * out, .fetched_bytes = s.points() * s.depth() * 64},
                        {.reuse_bytes = row, .fetched_bytes = patches}}},
            {.array = "weights",
             .footprint_bytes = weights,
             .read = true,
             .loads = products,
             .element_bytes = real,
             .layers = {{.reuse_bytes = weights + patch + out, .fetched_bytes = s.points() * weights},
                        {.reuse_bytes = row, .fetched_bytes = s.side() * weights}},
             .shared = true},
            {.array = "out", .footprint_bytes = s.points() * out, .written = true, .stores = s.points() * s.filters, .element_bytes = real},
            {.array = "out, accumulated",
             .read = true,
             .written = true,
             .loads = products,
             .stores = products,
             .element_bytes = real,
             .layers = {{.reuse_bytes = 2 * out, .fetched_bytes = s.points() * s.depth() * out}}}}};
    work.add_outer_loop(s.side(), row);
    work.add_outer_loop(s.points() * s.kernel, 2 * patch);
    work.add_outer_loop(s.points(), weights);
    work.add_outer_loop(s.points() * s.depth(), 2 * out);
    return work;
  }

  Conv2dCase(const Parameters& p, std::pmr::memory_resource& memory)
      : shape_(p),
        image_(shape_.width * shape_.width * shape_.channels, memory),
        weights_(shape_.depth() * shape_.filters, memory),
        columns_(shape_.points() * shape_.depth(), memory),
        out_(shape_.points() * shape_.filters, memory) {
    arguments_ = {shape_.width,  shape_.channels, shape_.filters,  shape_.kernel,
                  image_.data(), weights_.data(), columns_.data(), out_.data()};
  }

  std::size_t extent() const override { return shape_.side(); }
  void initialise(std::size_t begin, std::size_t end) override {
    const std::size_t image_row = shape_.width * shape_.channels, columns_row = shape_.side() * shape_.depth(),
                      out_row = shape_.side() * shape_.filters;
    // The image's last rows belong to the thread of the last row of output, what all share to the first.
    const std::size_t image_end = end == shape_.side() ? shape_.width : end;
    for (std::size_t i = begin * image_row; i < image_end * image_row; ++i) image_[i] = Real(varied(1, i));
    for (std::size_t i = begin * columns_row; i < end * columns_row; ++i) columns_[i] = Real(0.5);
    for (std::size_t i = begin * out_row; i < end * out_row; ++i) out_[i] = Real(0.5);
    if (begin != 0) return;
    for (std::size_t i = 0; i < weights_.size(); ++i) weights_[i] = Real(varied(2, i));
  }

  /// The error against equation 5 itself, in as many points as 2^24 products allow, always those of the diagonal and the last row.
  double error() const override {
    LargestError largest;
    const std::size_t side = shape_.side(), step = std::max<std::size_t>(1, shape_.points() * shape_.depth() * shape_.filters >> 24);
    for (std::size_t point = 0; point < shape_.points(); ++point)
      if (point % step == 0 || point % side == point / side || point / side + 1 == side)
        for (std::size_t c = 0; c < shape_.filters; ++c)
          largest.compare(out_[point * shape_.filters + c], exact(point / side, point % side, c));
    return largest.value();
  }
  // All terms are positive; the first passes one product and a sum for each.
  double tolerance() const override { return rounding_bound<Real>(static_cast<double>(shape_.depth()) + 1); }

 private:
  long double exact(std::size_t h, std::size_t w, std::size_t filter) const {
    long double sum = 0;
    std::size_t q = 0;
    for (std::size_t kh = 0; kh < shape_.kernel; ++kh)
      for (std::size_t kw = 0; kw < shape_.kernel; ++kw)
        for (std::size_t c = 0; c < shape_.channels; ++c, ++q)
          sum += static_cast<long double>(image_[((h + kh) * shape_.width + w + kw) * shape_.channels + c]) *
                 static_cast<long double>(weights_[q * shape_.filters + filter]);
    return sum;
  }

  Shape shape_;
  Array<Real> image_, weights_, columns_, out_;
  using KernelData<Conv2d<Real>>::arguments_;
};

Parameters shape(std::int64_t width, std::int64_t channels, std::int64_t filters, std::int64_t kernel) {
  return {{"width", width}, {"channels", channels}, {"filters", filters}, {"kernel", kernel}};
}

const Register<Conv2dCase> registered{
    "proxies/conv2d",
    "2-D convolution as a matrix product by im2col (Yang, Kurth, Williams 2019, equation 5)",
    {{.name = "width", .preset = std::int64_t{34}, .description = "of the square image, points", .max = 1 << 16},
     {.name = "channels", .preset = std::int64_t{16}, .description = "of the image", .max = 1 << 16},
     {.name = "filters", .preset = std::int64_t{16}, .description = "channels of the output", .max = 1 << 16},
     {.name = "kernel", .preset = std::int64_t{3}, .description = "width of a filter, points", .max = 1 << 10}},
    conv2d_flavors,
    {.edges = {shape(9, 3, 5, 3), shape(5, 3, 67, 2), shape(8, 2, 17, 4), shape(12, 1, 2, 5)},
     .caches = {shape(6, 2, 3, 3), shape(20, 3, 8, 3), shape(20, 16, 16, 3), shape(40, 8, 4, 5), shape(12, 32, 40, 3)}}};

}  // namespace
}  // namespace plumbline
