// A convolution shows what the paper found: as many FLOPs as its formula gives, an intensity that grows with channels and kernel and not
// with the batch; its tiles keep sums in registers; Winograd's tiles do fewer products; and what is no convolution is refused in one line.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory_resource>
#include <string>
#include <utility>
#include <vector>

#include "core/case.hpp"
#include "core/flows.hpp"
#include "core/kernel.hpp"
#include "machine/cpu.hpp"
#include "measure/executed.hpp"
#include "tests/kernels/refusal.hpp"
#include "tests/printed_amounts.hpp"

namespace plumbline {
namespace {

const Kernel& conv2d() { return *find_kernel("proxies/conv2d"); }

/// The paper's default: 112 x 112 x 64, 3 x 3, 64 filters, stride 2, batch 16.
struct PictureSizes {
  std::int64_t images = 16, width = 112, channels = 64, filters = 64, kernel = 3, stride = 2;
};
Parameters sized_picture(const PictureSizes& s, const std::string& direction = "forward", const std::string& variant = "implicit") {
  return {{"direction", direction}, {"variant", variant},   {"images", s.images}, {"width", s.width},
          {"channels", s.channels}, {"filters", s.filters}, {"kernel", s.kernel}, {"stride", s.stride}};
}

std::uint64_t flops(const Parameters& p, const std::string& precision = "fp32", const std::string& flavor = "gcc12-O3-v3") {
  return total_flops(conv2d().model(p, precision, flavor).flops).lo;
}

/// A core whose L2 keeps the filters and a few rows of an image, and whose L3 no batch.
const std::vector<CacheLevel> some_caches{{.name = "L1", .bytes = 48 << 10, .ways = 12},
                                          {.name = "L2", .bytes = 2 << 20, .ways = 16},
                                          {.name = "L3", .bytes = 4 << 20, .ways = 16, .shared = true}};

/// FLOPs by the most bytes that the model puts across a boundary.
double intensity(const Parameters& p, const std::string& boundary) {
  const ApplicationWork application = conv2d().application(p, "fp32", "gcc12-O3-v3");
  const Amount bytes = total_bytes(expected_counts(application, some_caches, 1), boundary);
  return static_cast<double>(flops(p)) / static_cast<double>(bytes.hi);
}

TEST(conv2d, does_as_many_flops_as_the_papers_formula_in_every_direction) {
  // 2 N H' W' C K^2 C' with H' = floor((H - K) / s) + 1 (Wang, Yang, Farrell, Zhang, Kurth, Williams 2020).
  const std::uint64_t by_formula = 2ULL * 16 * 55 * 55 * 64 * 9 * 64;
  EXPECT_EQ(by_formula, 3568435200U);
  for (const char* direction : {"forward", "backward_data", "backward_weights"}) EXPECT_EQ(flops(sized_picture({}, direction)), by_formula);
  EXPECT_EQ(flops(sized_picture({}, "forward", "im2col")), by_formula);
  EXPECT_EQ(flops(sized_picture({}), "bf16", "gcc12-O3-v4bf16"), by_formula);
  EXPECT_EQ(flops(sized_picture({}, "backward_data"), "bf16", "gcc12-O3-v4bf16"), by_formula);
  // By pairs of points a row of 55 is one of 56, and by matrix tiles one of 64.
  EXPECT_EQ(55 * flops(sized_picture({}, "backward_weights"), "bf16", "gcc12-O3-v4bf16"), 56 * by_formula);
  EXPECT_EQ(55 * conv2d().model(sized_picture({}, "backward_weights"), "bf16", "gcc12-O3-v4amxbf16").flops.at("flops.tensor.bf16"),
            Amount(64 * by_formula));
  EXPECT_EQ(conv2d().model(sized_picture({}), "bf16", "gcc12-O3-v4amxbf16").flops.at("flops.tensor.bf16"), Amount(by_formula));
  EXPECT_EQ(flops(sized_picture({.stride = 1})), 2ULL * 16 * 110 * 110 * 64 * 9 * 64);
}

TEST(conv2d, keeps_sums_in_registers) {
  // A step of the depth loads 6 elements of patches and 16 of filters for 6 x 16 products; rows of 55 points have tiles of 5 and 6.
  const double of_tile = 2.0 * 6 * 16 / (4 * (6 + 16));
  EXPECT_GT(intensity(sized_picture({}), "reg-L1"), 0.8 * of_tile);
  EXPECT_LT(intensity(sized_picture({}), "reg-L1"), of_tile);
  EXPECT_GT(intensity(sized_picture({}), "reg-L1"), 10 * 0.06);  // where each product loads and stores its sum
}

TEST(conv2d, intensity_grows_with_channels_and_kernel_and_not_with_the_batch) {
  for (const char* boundary : {"L2-L3", "L3-mem"}) {
    double before = 0;
    for (const std::int64_t filters : {16, 64, 256, 512}) {
      const double now = intensity(sized_picture({.filters = filters}), boundary);
      EXPECT_GT(now, 1.05 * before) << filters << " filters, " << boundary;
      before = now;
    }
    before = 0;
    for (const std::int64_t kernel : {2, 3, 5, 7}) {
      const double now = intensity(sized_picture({.kernel = kernel}), boundary);
      EXPECT_GT(now, 1.05 * before) << "kernel " << kernel << ", " << boundary;
      before = now;
    }
  }
  EXPECT_NEAR(intensity(sized_picture({.images = 64}), "L3-mem") / intensity(sized_picture({.images = 16}), "L3-mem"), 1, 0.1);
}

TEST(conv2d, a_stride_spares_flops_and_hardly_a_byte_of_the_image) {
  const auto image = [](std::int64_t stride) {
    return conv2d().application(sized_picture({.stride = stride}), "fp32", "").phases.back().work.streams.front().footprint_bytes;
  };
  EXPECT_NEAR(static_cast<double>(flops(sized_picture({.stride = 1}))) / static_cast<double>(flops(sized_picture({.stride = 2}))), 4, 0.1);
  EXPECT_NEAR(static_cast<double>(image(1)) / static_cast<double>(image(2)), 1, 0.03);
}

TEST(conv2d, winograds_tiles_do_16_products_in_the_place_of_36) {
  const Parameters p = sized_picture({.width = 114, .stride = 1}, "forward", "winograd");
  const ApplicationWork winograd = conv2d().application(p, "fp32", "gcc12-O3-v3");
  ASSERT_EQ(winograd.phases.at(2).name, "products");
  const Amount products = winograd.phases[2].entries * total_flops(winograd.phases[2].work.flops);
  EXPECT_EQ(36 * products, 16 * Amount(flops(sized_picture({.width = 114, .stride = 1}))));
  EXPECT_LT(flops(p), flops(sized_picture({.width = 114, .stride = 1})) / 2);
}

/// Loops as compilers make them load what their tiles do, and beside it a few addresses and what is spilled.
TEST(conv2d, optimized_flavors_execute_the_loads_of_their_tiles) {
  int flavors = 0;
  for (const Flavor& flavor : conv2d().flavors()) {
    const FlavorName name = split_flavor(flavor.name);
    if (name.level != "O3" || precision_bytes(flavor.precision) < 4 || !runs_isa(name.isa)) continue;
    const Case measured{.kernel = &conv2d(),
                        .parameters = sized_picture({.images = 1, .width = 26, .channels = 48, .filters = 64}),
                        .precision = std::string(flavor.precision),
                        .flavor = flavor,
                        .team = {1, 1}};
    const Executed executed = executed_references(measured);
    if (!executed.why_none.empty()) continue;  // it names the reason
    const Counts model = expected_counts(measured.work(), {}, 1);
    const double ratio = static_cast<double>(executed.references->load) / static_cast<double>(model.at("bytes.reg-L1.load").lo);
    EXPECT_GT(ratio, 0.95) << measured.id();
    EXPECT_LT(ratio, 1.15) << measured.id();
    ++flavors;
  }
  if (flavors == 0) GTEST_SKIP() << "SKIP: this build has no counted twins";
}

std::string why(const Parameters& p, const std::string& precision = "fp32", const std::string& flavor = "") {
  return refusal(conv2d(), p, precision, flavor);
}

TEST(conv2d, what_is_no_convolution_is_told_in_one_line) {
  EXPECT_EQ(why(sized_picture({})), "");
  EXPECT_EQ(why(sized_picture({.width = 4, .kernel = 5})), "proxies/conv2d: kernel = 5 is wider than the image, width = 4");
  EXPECT_EQ(why(sized_picture({.kernel = 1})),
            "proxies/conv2d: stride = 2 would leave out points of the image between filters of kernel = 1");
  EXPECT_EQ(why(sized_picture({}, "backward_data", "im2col")),
            "proxies/conv2d: variant = im2col goes forward alone, and direction = backward_data is by variant=implicit");
  EXPECT_EQ(why(sized_picture({.kernel = 5}, "forward", "winograd")),
            "proxies/conv2d: kernel = 5 and stride = 2 are not those of variant=winograd, which needs kernel=3 and stride=1");
}

TEST(conv2d, a_flavor_that_does_not_take_a_form_says_so) {
  EXPECT_EQ(why(sized_picture({}), "fp32", "lib-openblas"), "proxies/conv2d: lib-openblas is a flavor of variant=im2col");
  EXPECT_EQ(why(sized_picture({}, "forward", "im2col"), "fp32", "lib-onednn"),
            "proxies/conv2d: lib-onednn is a flavor of variant=implicit");
  EXPECT_EQ(why(sized_picture({.channels = 3}), "bf16"),
            "proxies/conv2d: channels = 3 is no multiple of 2, which bf16 needs in this direction");
  EXPECT_EQ(why(sized_picture({.channels = 3}, "backward_weights"), "bf16"), "");
  EXPECT_EQ(why(sized_picture({}, "forward", "im2col"), "bf16"),
            "proxies/conv2d: variant is not one of bf16, which has variant=implicit alone");
  EXPECT_EQ(why(sized_picture({.channels = 16}), "bf16", "gcc12-O3-v4amxbf16"),
            "proxies/conv2d: kernel * channels = 48 is no multiple of 32, the numbers in a row of a matrix tile");
  EXPECT_EQ(why(sized_picture({.channels = 16}), "bf16", "gcc12-O3-v4bf16"), "");
  EXPECT_EQ(why(sized_picture({.stride = 1}, "forward", "winograd"), "fp16"),
            "proxies/conv2d: variant = winograd takes more digits than fp16 has");
}

TEST(conv2d, sums_of_which_no_digit_would_be_sure_are_refused_and_others_known_well) {
  EXPECT_EQ(why(sized_picture({}, "backward_weights"), "fp16"),
            "proxies/conv2d: images and width make sums of 48400 terms, of which no digit would be sure");
  EXPECT_EQ(why(sized_picture({.images = 1, .width = 4098, .channels = 1, .filters = 1, .stride = 1}, "backward_weights"), "fp32"),
            "proxies/conv2d: images and width make sums of 16777216 terms, of which no digit would be sure");
  EXPECT_EQ(why(sized_picture({.channels = 512}), "fp16"),
            "proxies/conv2d: kernel and channels make sums of 4608 terms, of which no digit would be sure");
  // None of a filter's three rows can be left out unseen.
  const auto longest = conv2d().prepare(sized_picture({.images = 1, .width = 3, .channels = 113, .filters = 1, .stride = 1}), "fp16",
                                        *std::pmr::get_default_resource());
  EXPECT_LT(longest->tolerance(), 1.0 / 6);
}

}  // namespace
}  // namespace plumbline
