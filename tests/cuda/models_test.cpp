// The models of the kernels for GPUs are held against numbers worked out by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "core/quantity.hpp"
#include "gpu/gpu_caches.hpp"
#include "module_kernels.hpp"

namespace plumbline {
namespace {

const Kernel& gpu_kernel(const std::string& name) {
  for (const Kernel* kernel : all_kernels())
    if (kernel->name == name) return *kernel;
  throw std::runtime_error("no kernel " + name);
}
Work model(const std::string& name, const Parameters& point, const std::string& precision = "fp64", const std::string& flavor = "") {
  return gpu_kernel(name).model(point, precision, flavor);
}

Counts counts(const Work& work) {
  GpuProperties h100;
  h100.major = 9;
  h100.l2_bytes = 50 << 20;
  return expected_counts(work, cache_levels(h100), 1);
}

std::int64_t n(std::int64_t value) { return value; }

TEST(gpu_models, of_a_triad_are_one_fma_an_element) {
  const Work work = model("validation/triad", {{"n", n(1000)}}, "fp32");
  EXPECT_EQ(work.flops, (Counts{{"flops.fp32.fma", 1000}}));
  EXPECT_EQ(counts(work).at("bytes.reg-L1.load"), Amount(8000));
  EXPECT_EQ(counts(work).at("bytes.reg-L1.store"), Amount(4000));
}

/// 5000 elements are five blocks. In each, 255 sums pass through shared memory.
TEST(gpu_models, of_a_dot_product_are_an_fma_an_element_and_the_sums_of_each_block) {
  const Work work = model("validation/dot", {{"n", n(5000)}});
  EXPECT_EQ(work.flops, (Counts{{"flops.fp64.fma", 5000}, {"flops.fp64.add", 1275}}));
  EXPECT_EQ(counts(work).at("flops.fp64"), Amount(11275));
  EXPECT_EQ(counts(work).at("bytes.reg-shared.load"), Amount(1275 * 8));
  EXPECT_EQ(counts(work).at("bytes.reg-shared.store"), Amount(1275 * 8));
  EXPECT_EQ(counts(work).at("bytes.reg-L1.load"), Amount(80000));
  EXPECT_EQ(counts(work).at("bytes.reg-L1.store"), Amount(40));
}

/// 40 rows are three tiles of 16: each matrix is loaded three times, and as often stored in shared memory.
TEST(gpu_models, of_a_matrix_product_are_n_cubed_fmas_from_shared_memory) {
  const Work work = model("validation/dgemm", {{"n", n(40)}});
  EXPECT_EQ(work.flops, (Counts{{"flops.fp64.fma", 64000}}));
  EXPECT_EQ(counts(work).at("bytes.reg-L1.load"), Amount(2 * 3 * 1600 * 8));
  EXPECT_EQ(counts(work).at("bytes.reg-L1.store"), Amount(1600 * 8));
  EXPECT_EQ(counts(work).at("bytes.reg-shared.load"), Amount(2 * 64000 * 8));
  EXPECT_EQ(counts(work).at("bytes.reg-shared.store"), Amount(2 * 3 * 1600 * 8));
}

/// The papers' default: 16 images of 112 x 112 x 64, 64 filters of 3 x 3, stride 2; outputs of 55 x 55.
Parameters papers_convolution(const char* direction, const char* variant = "implicit", std::int64_t stride = 2) {
  return {{"direction", std::string(direction)},
          {"variant", std::string(variant)},
          {"images", n(16)},
          {"width", n(112)},
          {"channels", n(64)},
          {"filters", n(64)},
          {"kernel", n(3)},
          {"stride", stride}};
}
Work convolution(const char* direction, const char* precision) { return model("proxies/conv2d", papers_convolution(direction), precision); }
/// The phases of a convolution by name.
std::map<std::string, Phase> phases(const Parameters& point, const std::string& precision) {
  std::map<std::string, Phase> all;
  for (const Phase& phase : gpu_kernel("proxies/conv2d").application(point, precision, "").phases) all[phase.name] = phase;
  return all;
}

/// The 48400 outputs are 757 tiles of 64, of 36 steps of 16. A step loads two tiles of 64 x 16, and 12 numbers a thread from shared memory.
TEST(gpu_models, of_a_convolution_are_whole_tiles_of_its_products) {
  const std::uint64_t outputs = 757 * 64;
  EXPECT_EQ(convolution("forward", "fp32").flops, (Counts{{"flops.fp32.fma", outputs * 64 * 576}}));
  EXPECT_EQ(convolution("forward", "fp16").flops, (Counts{{"flops.tensor.fp16", 2 * outputs * 64 * 576}}));
  const Work products = phases(papers_convolution("forward"), "fp32").at("products").work;
  EXPECT_EQ(products.paper, (Counts{{"paper.flops", 3568435200}}));
  EXPECT_NE(products.note.find("1785987072 products for 1784217600"), std::string::npos);
  const Counts forward = counts(convolution("forward", "fp32"));
  const std::uint64_t steps = 757 * 36, weights = 9 * 64 * 64;
  EXPECT_EQ(forward.at("bytes.reg-L1.load"), Amount(4 * (weights + 2 * steps * 64 * 16)));
  EXPECT_EQ(forward.at("bytes.reg-L1.store"), Amount(4 * (weights + 48400 * 64)));
  EXPECT_EQ(forward.at("bytes.reg-shared.store"), Amount(4 * 2 * steps * 64 * 16));
  EXPECT_EQ(forward.at("bytes.reg-shared.load"), Amount(4 * steps * 16 * 128 * 12));
}

/// An image's points are of four kinds, of 56 x 56 each, which meet 4, 2, 2 and 1 points of a filter; 3.7 % beyond the rim of the outputs.
TEST(gpu_models, of_an_images_gradient_are_those_of_each_place_between_two_patches) {
  const std::uint64_t products = std::uint64_t{16} * 56 * 56 * 64 * (4 + 2 + 2 + 1) * 64;
  EXPECT_EQ(convolution("backward_data", "fp32").flops, (Counts{{"flops.fp32.fma", products}}));
  EXPECT_EQ(convolution("backward_data", "bf16").flops, (Counts{{"flops.tensor.bf16", 2 * products}}));
}

/// Nine tiles make 113 parts of 432 points, by tensor cores 109 of 448, whose sums are added up.
TEST(gpu_models, of_a_filters_gradient_are_those_of_its_parts_and_their_sums) {
  constexpr std::uint64_t weights = std::uint64_t{576} * 64;
  EXPECT_EQ(convolution("backward_weights", "fp32").flops,
            (Counts{{"flops.fp32.fma", 113 * 432 * weights}, {"flops.fp32.add", 112 * weights}}));
  EXPECT_EQ(convolution("backward_weights", "fp16").flops,
            (Counts{{"flops.tensor.fp16", 2 * 109 * 448 * weights}, {"flops.fp32.add", 108 * weights}}));
  const auto of_fp16 = phases(papers_convolution("backward_weights"), "fp16");
  EXPECT_NE(of_fp16.at("products").work.note.find("1800142848 products"), std::string::npos);
  EXPECT_EQ(of_fp16.at("sums").work.flops, (Counts{{"flops.fp32.add", 108 * weights}}));
}

/// Halves that no tensor core multiplies are fp32's products, each widened once as its tile is stored: two tiles of 64 x 16 a step. A
/// counter of fp16 may see none of it, or all.
TEST(gpu_models, of_a_convolution_of_converted_halves_are_those_of_fp32_and_conversions) {
  const Work work = model("proxies/conv2d", papers_convolution("forward", "converted"), "fp16");
  const std::uint64_t steps = 757 * 36, weights = 9 * 64 * 64;
  EXPECT_EQ(work.flops,
            (Counts{{"flops.fp32.fma", std::uint64_t{757} * 64 * 64 * 576}, {"flops.fp16.add", Amount(0, steps * 2 * 64 * 16)}}));
  const Counts forward = counts(work);
  EXPECT_EQ(forward.at("bytes.reg-L1.load"), Amount(2 * (weights + 2 * steps * 64 * 16)));
  EXPECT_EQ(forward.at("bytes.reg-L1.store"), Amount(2 * weights + 4 * 48400 * 64));
  EXPECT_EQ(forward.at("bytes.reg-shared.store"), Amount(4 * 2 * steps * 64 * 16));
  EXPECT_EQ(forward.at("bytes.reg-shared.load"), Amount(4 * steps * 16 * 128 * 12));
  const auto of_phases = phases(papers_convolution("backward_weights", "converted"), "fp16");
  EXPECT_EQ(of_phases.at("products").work.flops.at("flops.fp32.fma"), convolution("backward_weights", "fp32").flops.at("flops.fp32.fma"));
  EXPECT_NE(of_phases.at("products").work.note.find("conversions to fp32"), std::string::npos);
}

/// A phase that only moves numbers has no FLOPs, and stays a phase: the filters are laid side by side, an image's patches 16 times.
TEST(gpu_models, of_a_convolutions_housekeeping_are_phases_without_flops) {
  const auto of_columns = phases(papers_convolution("forward", "im2col"), "fp32");
  ASSERT_EQ(of_columns.size(), 3U);
  for (const char* name : {"filters", "columns"}) {
    EXPECT_TRUE(of_columns.at(name).work.flops.empty()) << name;
    EXPECT_GT(counts(of_columns.at(name).work).at("bytes.reg-L1.store").lo, 0U) << name;
  }
  EXPECT_EQ(of_columns.at("columns").entries, 16U);
  EXPECT_EQ(counts(of_columns.at("columns").work).at("bytes.reg-L1.store"), Amount(std::uint64_t{4} * 55 * 55 * 576));
  EXPECT_EQ(of_columns.at("products").work.paper, (Counts{{"paper.flops", 3568435200 / 16}}));
}

/// Sizes that tiles divide leave no product out, and say nothing of it.
TEST(gpu_models, of_a_convolution_that_tiles_divide_are_the_papers_flops) {
  const Parameters p{{"direction", std::string("forward")},
                     {"variant", std::string("implicit")},
                     {"images", n(4)},
                     {"width", n(18)},
                     {"channels", n(32)},
                     {"filters", n(128)},
                     {"kernel", n(3)},
                     {"stride", n(1)}};
  for (const char* precision : {"fp64", "fp32", "fp16", "bf16"}) {
    const Work work = phases(p, precision).at("products").work;
    const Amount done = std::string(precision).ends_with("16") ? work.flops.begin()->second : total_flops(work.flops);
    EXPECT_EQ(done, work.paper.at("paper.flops")) << precision;
    EXPECT_EQ(work.note, "") << precision;
  }
}

/// Intensity at L1 is a tile's: 64 x 64 products for 2 x 64 numbers in each step of the depth, and does not hang on the batch.
TEST(gpu_models, of_a_convolution_load_each_number_for_64_products) {
  const Work work = convolution("forward", "fp32");
  const double flops = static_cast<double>(total_flops(work.flops).lo),
               bytes = static_cast<double>(counts(work).at("bytes.reg-L1.load").lo);
  EXPECT_NEAR(flops / bytes, 2 * 64.0 * 64 / (4 * 2 * 64), 0.02);
}

/// Outputs of 110 x 110 are 55 x 55 tiles of an image, which are multiplied as 48 tiles of 64 rows: 16 products where 36 are usual.
TEST(gpu_models, of_winograds_convolution_are_a_cpus_transformations_and_whole_tiles_of_products) {
  const auto winograd = phases(papers_convolution("forward", "winograd", 1), "fp32");
  ASSERT_EQ(winograd.size(), 4U);
  constexpr std::uint64_t numbers = std::uint64_t{55} * 55 * 64;
  EXPECT_EQ(winograd.at("filters").work.flops, (Counts{{"flops.fp32.add", 21 * 64 * 64}, {"flops.fp32.mul", 14 * 64 * 64}}));
  EXPECT_EQ(winograd.at("image").work.flops, (Counts{{"flops.fp32.add", 32 * numbers}}));
  EXPECT_EQ(winograd.at("products").work.flops, (Counts{{"flops.fp32.fma", std::uint64_t{16} * 48 * 64 * 64 * 64}}));
  EXPECT_EQ(winograd.at("output").work.flops, (Counts{{"flops.fp32.add", 24 * numbers}}));
  for (const char* name : {"image", "products", "output"}) EXPECT_EQ(winograd.at(name).entries, 16U) << name;
  EXPECT_EQ(winograd.at("products").work.paper, (Counts{{"paper.flops", std::uint64_t{2} * 110 * 110 * 576 * 64}}));
}

TEST(gpu_models, refuse_a_convolution_that_has_no_form_on_gpus_in_one_line) {
  const auto why = [](std::int64_t channels, const char* variant, const char* precision) {
    return refusal(gpu_kernel("proxies/conv2d"),
                   {{"direction", std::string("forward")},
                    {"variant", std::string(variant)},
                    {"images", n(1)},
                    {"width", n(8)},
                    {"channels", channels},
                    {"filters", n(8)},
                    {"kernel", n(3)},
                    {"stride", n(1)}},
                   precision);
  };
  EXPECT_EQ(why(12, "implicit", "fp32"), "");
  EXPECT_EQ(why(12, "implicit", "fp16"), "proxies/conv2d: channels = 12 is no multiple of 8, which tensor cores take at once");
  EXPECT_EQ(why(12, "winograd", "fp32"), "");
  EXPECT_EQ(why(8, "winograd", "bf16"), "proxies/conv2d: variant = winograd takes more digits than bf16 has");
  EXPECT_EQ(why(12, "converted", "fp16"), "");
  EXPECT_EQ(why(12, "converted", "bf16"),
            "proxies/conv2d: variant = converted is one of fp16, whose numbers are multiplied in fp32, and this is bf16");
}

/// An LSTM's products in halves are tensor cores', as many as FMAs were; beside them cells do in fp32 what they did. Widened are the sums
/// that products begin with, a number of each gate, and eleven numbers of a cell: 16 x 16 of them in two steps.
TEST(gpu_models, of_an_lstm_in_halves_are_tensor_products_and_cells_in_fp32) {
  const Parameters p{{"direction", std::string("forward")}, {"batch", n(16)}, {"sequence", n(2)}, {"features", n(32)}, {"hidden", n(16)},
                     {"variant", std::string("launches")}};
  const Counts halves = model("proxies/lstm", p, "fp16").flops, floats = model("proxies/lstm", p, "fp32").flops;
  const std::uint64_t products = std::uint64_t{16} * 2 * 64 * (32 + 16), gates = 2 * 16 * 64, cells = 2 * 16 * 16;
  EXPECT_EQ(halves, (Counts{{"flops.tensor.fp16", 2 * products},
                            {"flops.fp32.add", floats.at("flops.fp32.add")},
                            {"flops.fp32.mul", floats.at("flops.fp32.mul")},
                            {"flops.fp32.fma", floats.at("flops.fp32.fma").lo - products},
                            {"flops.fp16.add", Amount(0, 2 * gates + 11 * cells)}}));
}

TEST(gpu_models, of_stencils_are_their_sums_products_and_fmas) {
  EXPECT_EQ(model("validation/stencil5", {{"n", n(10)}}).flops, (Counts{{"flops.fp64.add", 300}, {"flops.fp64.mul", 100}}));
  EXPECT_EQ(model("validation/stencil7", {{"n", n(10)}}).flops, (Counts{{"flops.fp64.add", 5000}, {"flops.fp64.mul", 1000}}));
  EXPECT_EQ(model("validation/stencil7c", {{"n", n(10)}}).flops, (Counts{{"flops.fp64.add", 5000}, {"flops.fp64.fma", 1000}}));
}

/// Two tiles of 256 elements are brought in by one store each, and loaded and stored in three rounds.
TEST(gpu_models, of_the_shared_memory_stream_are_its_rounds) {
  const Counts shared = counts(model("validation/shared", {{"tiles", n(2)}, {"rounds", n(3)}}));
  EXPECT_EQ(shared.at("bytes.reg-shared.load"), Amount(3 * 512 * 8));
  EXPECT_EQ(shared.at("bytes.reg-shared.store"), Amount(4 * 512 * 8));
  EXPECT_EQ(shared.at("flops.fp64"), Amount(0));
}

Parameters plasmon_pole(const std::string& variant, std::int64_t nbands, std::int64_t ngpown, std::int64_t ncouls, std::int64_t nw) {
  return {{"variant", variant}, {"nbands", nbands}, {"ngpown", ngpown}, {"ncouls", ncouls}, {"nw", nw}, {"stride", n(1)}};
}

/// A pole meets a band 33 * 2 * 300 = 19800 times: 6 FLOPs, and 22 at the one energy. Two blocks of plane waves by two of bands are four
/// blocks of threads a row, and a fifth adds them up: five times 255 sums of each part, and the four.
TEST(gpu_models, of_the_general_plasmon_pole_are_a_cpus_flops_and_the_sums_of_blocks) {
  constexpr std::uint64_t meetings = 19800, sums = 2 * 2 * (5 * 255 + 4), blocks = 8;
  const Work work = model("proxies/gpp", plasmon_pole("nodivide", 33, 2, 300, 1));
  EXPECT_EQ(work.flops,
            (Counts{{"flops.fp64.add", 2 * meetings + sums}, {"flops.fp64.mul", 7 * meetings}, {"flops.fp64.fma", 14 * meetings}}));
  EXPECT_EQ(work.paper.at("paper.flops"), Amount(28 * meetings + sums));
  EXPECT_NE(work.note.find("19800 divisions"), std::string::npos) << work.note;
  EXPECT_EQ(model("proxies/gpp", plasmon_pole("nodivide", 33, 2, 300, 1), "fp32").flops.at("flops.fp32.fma"), Amount(11 * meetings));
  const Counts moved = counts(work);
  constexpr std::uint64_t poles = 4 * 600 * 2, bands = 2 * meetings, energies = 2 * 2 * 33 * 2, passed = 2 * (blocks + 2) * (256 + 16);
  EXPECT_EQ(moved.at("bytes.reg-L1.load"), Amount(8 * (poles + bands + energies + 2 * blocks)));
  EXPECT_EQ(moved.at("bytes.reg-L1.store"), Amount(8 * (2 * blocks + 2 * 2)));
  EXPECT_EQ(moved.at("bytes.reg-shared.load"), Amount(8 * (2 * meetings + passed)));
  EXPECT_EQ(moved.at("bytes.reg-shared.store"), Amount(8 * (energies + passed)));
}

/// The steps do by convention what they do on CPUs: 30 FLOPs a meeting and energy, or 6 a meeting and 21.
TEST(gpu_models, of_the_general_plasmon_pole_follow_the_steps_of_optimization) {
  constexpr std::uint64_t meetings = 3ULL * 2 * 40, nw = 5, sums = 2 * nw * 2 * (4 * 255 + 3), block = 2 * nw * 2 * (2 * 255 + 1);
  const auto flops = [](const char* variant) { return model("proxies/gpp", plasmon_pole(variant, 3, 2, 40, 5)).paper.at("paper.flops"); };
  EXPECT_EQ(flops("naive"), Amount(30 * nw * meetings + sums));
  EXPECT_EQ(flops("vector"), Amount((6 + 21 * nw) * meetings + sums));
  EXPECT_EQ(flops("blocked"), Amount((6 + 21 * nw) * meetings + block));
  EXPECT_EQ(flops("nodivide"), Amount((6 + 22 * nw) * meetings + block));
}

/// The sums of all energies stay in registers, and the energies in shared memory: bytes at L1 hardly change with their number.
TEST(gpu_models, of_the_general_plasmon_pole_grow_in_intensity_with_the_energies) {
  for (const char* variant : {"vector", "nodivide"})
    for (const char* precision : {"fp64", "fp32"}) {
      const auto at = [&](std::int64_t nw, const char* boundary) {
        const Amount moved = counts(model("proxies/gpp", plasmon_pole(variant, 512, 2, 32768, nw), precision)).at(boundary);
        return static_cast<double>(moved.hi);
      };
      for (const char* boundary : {"bytes.reg-L1", "bytes.L1-L2", "bytes.L2-mem"})
        EXPECT_NEAR(at(6, boundary) / at(1, boundary), 1, 0.05) << variant << " " << precision << " " << boundary;
    }
  const auto loads = [](const char* variant) {
    return static_cast<double>(counts(model("proxies/gpp", plasmon_pole(variant, 512, 2, 32768, 1))).at("bytes.reg-L1.load").lo);
  };
  EXPECT_GT(loads("vector"), 2.5 * loads("nodivide")) << "in blocks a pole is loaded once for 32 bands";
  EXPECT_NEAR(loads("vector"), 8.0 * 6 * 512 * 2 * 32768, 0.01 * loads("vector"));
}

TEST(gpu_models, of_the_general_plasmon_pole_refuse_more_blocks_than_a_launch_has) {
  EXPECT_THROW(model("proxies/gpp", plasmon_pole("vector", 65536, 65536, 1, 1)), std::invalid_argument);
  EXPECT_NO_THROW(model("proxies/gpp", plasmon_pole("nodivide", 65536, 65536, 1, 1)));
}

Work phase_of(const std::string& application, const Parameters& p, const std::string& name, const char* precision = "fp64") {
  for (const Phase& phase : gpu_kernel(application).application(p, precision, "").phases)
    if (phase.name == name) return phase.work;
  throw std::runtime_error(application + " has no phase " + name);
}

/// Eight boxes of 8^3 cells are 4096, and 512 of the coarser level.
Work phase_of_multigrid(const std::string& name, const char* variant = "stride2") {
  return phase_of("proxies/multigrid",
                  {{"variant", std::string(variant)},
                   {"cycle", std::string("f")},
                   {"boxes", n(2)},
                   {"n", n(8)},
                   {"levels", n(2)},
                   {"cycles", n(1)},
                   {"smooths", n(2)},
                   {"bottom", n(16)}},
                  name);
}

/// A cell's update is 113 operations from 57 loads, and the residual 111 from 56; half of the cells are updated and the others copied.
TEST(gpu_models, of_multigrid_are_the_smoothers_of_each_level_and_the_residual) {
  const Work red = phase_of_multigrid("red@1"), residual = phase_of_multigrid("residual@1");
  EXPECT_EQ(total_flops(red.flops), Amount(113 * 2048));
  EXPECT_EQ(counts(red).at("bytes.reg-L1.load"), Amount(8 * (57 + 1) * 2048));
  EXPECT_EQ(total_flops(phase_of_multigrid("red@2").flops), Amount(113 * 256));
  EXPECT_EQ(total_flops(residual.flops), Amount(111 * 4096));
  EXPECT_EQ(counts(residual).at("bytes.reg-L1.load"), Amount(8 * 56 * 4096));
  EXPECT_EQ(counts(residual).at("bytes.reg-L1.store"), Amount(8 * 4096));
}

/// A coarse cell is the average of eight, and interpolated from 27 by 19 halvings of three sums and a product.
TEST(gpu_models, of_multigrid_are_averages_of_eight_cells_and_parabolas_between_27) {
  const Work down = phase_of_multigrid("restrict@1"), up = phase_of_multigrid("interpolate@1");
  EXPECT_EQ(down.flops, (Counts{{"flops.fp64.add", 7 * 512}, {"flops.fp64.mul", 512}}));
  EXPECT_EQ(counts(down).at("bytes.reg-L1.load"), Amount(8 * 8 * 512));
  EXPECT_EQ(counts(down).at("bytes.reg-L1.store"), Amount(8 * 2 * 512));
  EXPECT_EQ(up.flops, (Counts{{"flops.fp64.add", (3 * 19 + 8) * 512}, {"flops.fp64.mul", 19 * 512}}));
  EXPECT_EQ(counts(up).at("bytes.reg-L1.load"), Amount(8 * (27 + 8) * 512));
  EXPECT_EQ(counts(up).at("bytes.reg-L1.store"), Amount(8 * 8 * 512));
}

Phase phase_of_hybrid(const std::string& name) {
  const Parameters p{{"variant", std::string("stride2")},
                     {"cycle", std::string("f")},
                     {"boxes", n(2)},
                     {"n", n(16)},
                     {"levels", n(4)},
                     {"cycles", n(2)},
                     {"smooths", n(2)},
                     {"bottom", n(4)},
                     {"host_from", n(3)}};
  for (Phase& phase : gpu_kernel("proxies/multigrid_hybrid").application(p, "fp64", "").phases)
    if (phase.name == name) return phase;
  throw std::runtime_error("no phase " + name);
}

/// Eight boxes of 4^3 cells are the host's finest level: its right-hand side goes down, with the ghost cells two deep around it, as often
/// as the cycles go from the level above to it, and once more where an F-cycle begins; its unknowns come up as often.
TEST(gpu_models, of_hybrid_multigrid_are_a_cpus_on_the_coarse_levels_and_copies_between_both) {
  EXPECT_FALSE(phase_of_hybrid("red@2").on_host || phase_of_hybrid("restrict@2").on_host || phase_of_hybrid("interpolate@2").on_host);
  EXPECT_TRUE(phase_of_hybrid("red@3").on_host && phase_of_hybrid("halo@3").on_host && phase_of_hybrid("residual@3").on_host);
  EXPECT_EQ(phase_of_hybrid("residual@2").work.flops, phase_of_multigrid("residual@1").flops) << "8^3 cells there, too";
  EXPECT_EQ(phase_of_hybrid("residual@3").work.flops, (Counts{{"flops.fp64.add", 84 * 512}, {"flops.fp64.mul", 27 * 512}}));
  const Phase down = phase_of_hybrid("download@3"), up = phase_of_hybrid("upload@3");
  EXPECT_EQ(down.from_device_bytes, 8U * 8 * 8 * 8 * 8);
  EXPECT_EQ(up.to_device_bytes, down.from_device_bytes);
  EXPECT_EQ(down.to_device_bytes + up.from_device_bytes, 0U);
  EXPECT_EQ(down.entries, phase_of_hybrid("restrict@2").entries);
  EXPECT_EQ(up.entries, phase_of_hybrid("interpolate@2").entries);
  EXPECT_TRUE(down.work.flops.empty() && up.work.flops.empty());
}

/// Threads side by side update every other cell: they load sectors of which they use a half, and store each sector in two parts.
TEST(gpu_models, of_an_update_of_one_color_touch_whole_sectors_for_every_other_cell) {
  constexpr std::uint64_t cells = 4096 * 8;
  const auto moved = [](const char* variant, const char* flow) { return counts(phase_of_multigrid("red@1", variant)).at(flow); };
  for (const char* variant : {"stride2", "branch"}) {
    EXPECT_GE(moved(variant, "bytes.L1-L2.write_back").hi, 2 * cells) << variant;
    EXPECT_LE(moved(variant, "bytes.L1-L2.write_back").lo, cells) << variant;
    EXPECT_GE(moved(variant, "bytes.L1-L2.demand_read").hi, moved("fp", "bytes.reg-L1.load").lo) << variant;
  }
}

/// The rows of a box of 8^3 cells begin at whole sectors: its 32 bytes of ghosts at their two ends are the halves of two.
TEST(gpu_models, of_ghost_cells_may_be_a_part_of_their_sectors) {
  const Counts ghosts = counts(phase_of_multigrid("ghosts@1"));
  const std::uint64_t stored = ghosts.at("bytes.reg-L1.store").lo, rows = 8 * 12 * 12;
  EXPECT_EQ(ghosts.at("bytes.L1-L2.write_back").lo, stored - 48 * 32);
  EXPECT_GE(ghosts.at("bytes.L1-L2.write_back").hi, stored + rows * 32);
}

Work phase_of_cg(const std::string& name, const char* precision) {
  return phase_of("proxies/cg", {{"n", n(16)}, {"planes", n(8)}, {"levels", n(2)}, {"iterations", n(1)}}, name, precision);
}

/// A level of 16 x 16 x 8 points has 256 of each color. Each meets 27 entries and takes its own part back in by FMAs, and divides by seven
/// more, in fp32 by four.
TEST(gpu_models, of_conjugate_gradients_are_an_fma_an_entry_of_the_matrix) {
  EXPECT_EQ(phase_of_cg("smooth@1", "fp64").flops, (Counts{{"flops.fp64.fma", 35 * 256}, {"flops.fp64.mul", 256}}));
  EXPECT_EQ(phase_of_cg("smooth@1", "fp32").flops, (Counts{{"flops.fp32.fma", 32 * 256}, {"flops.fp32.mul", 256}}));
  EXPECT_EQ(phase_of_cg("product@1", "fp64").flops, (Counts{{"flops.fp64.fma", 26 * 2048}, {"flops.fp64.mul", 2048}}));
  const Counts smoothed = counts(phase_of_cg("smooth@1", "fp64"));
  EXPECT_EQ(smoothed.at("bytes.reg-L1.load"), Amount(256 * (27 * (8 + 4 + 8) + 2 * 8)));
  EXPECT_EQ(smoothed.at("bytes.reg-L1.store"), Amount(256 * 8));
}

/// Each plane is four sums, and those of all planes are added up by a block; all of a block's threads pass theirs on.
TEST(gpu_models, of_conjugate_gradients_sum_in_blocks) {
  EXPECT_EQ(phase_of_cg("dot", "fp64").flops, (Counts{{"flops.fp64.fma", 2048}, {"flops.fp64.add", 32 * 255}}));
  EXPECT_EQ(phase_of_cg("total", "fp64").flops, (Counts{{"flops.fp64.add", 32 + 255}}));
  EXPECT_EQ(phase_of_cg("ratio", "fp64").flops, (Counts{{"flops.fp64.add", 1}, {"flops.fp64.mul", 1}, {"flops.fp64.fma", 7}}));
}

TEST(gpu_models, refuse_grids_that_cannot_be_halved_so_often_in_one_line) {
  const Parameters p{{"n", n(104)}, {"planes", n(0)}, {"levels", n(4)}, {"iterations", n(1)}};
  EXPECT_EQ(refusal(gpu_kernel("proxies/cg"), p),
            "n = 104 is no multiple of 16, as 4 levels of eight colors need: take n = 96 or 112, or fewer levels");
}

/// The two arrays of 4 MiB together are moved between L1 and L2 in each round, and nothing moves beyond.
TEST(gpu_models, of_the_L2_stream_are_all_its_references_and_nothing_at_memory) {
  constexpr std::uint64_t slack = 48 * 32, array = 2 << 20;
  const Counts l2 = counts(model("validation/l2stream", {{"n", n(1 << 18)}, {"rounds", n(64)}}));
  EXPECT_EQ(l2.at("bytes.L1-L2.demand_read"), Amount(64 * array - slack, 64 * array + slack));
  EXPECT_EQ(l2.at("bytes.L1-L2.write_back"), Amount(64 * array - slack, 64 * array + slack));
  EXPECT_EQ(l2.at("bytes.L2-mem"), Amount(0, 2 * slack));
  EXPECT_EQ(l2.at("flops.fp64.add"), Amount(64 << 18));
}

/// Three products of two warps are 2 m n k operations each.
TEST(gpu_models, of_tensor_cores_are_two_operations_for_each_term_of_a_product) {
  const Parameters point{{"warps", n(2)}, {"repeats", n(3)}};
  const auto flops = [&](const char* precision) { return model("validation/mma", point, precision).flops; };
  EXPECT_EQ(flops("fp16"), (Counts{{"flops.tensor.fp16", 6 * 2 * 16 * 8 * 16}}));
  EXPECT_EQ(flops("bf16"), (Counts{{"flops.tensor.bf16", 6 * 2 * 16 * 8 * 16}}));
  EXPECT_EQ(flops("tf32"), (Counts{{"flops.tensor.tf32", 6 * 2 * 16 * 8 * 8}}));
  EXPECT_EQ(flops("fp64"), (Counts{{"flops.tensor.fp64", 6 * 2 * 8 * 8 * 4}}));
  EXPECT_EQ(flops("int8"), (Counts{{"flops.tensor.int8", 6 * 2 * 16 * 8 * 32}}));
}

TEST(gpu_models, of_packed_and_scalar_halves_are_the_same) {
  for (const std::string form : {"packed", "scalar"}) {
    const Parameters point{{"form", form}, {"kind", std::string("add")}, {"n", n(10)}, {"steps", n(3)}};
    EXPECT_EQ(model("validation/half", point, "fp16", "cuda13-sm_75").flops, (Counts{{"flops.fp16.add", 30}}));
    EXPECT_EQ(model("validation/half", point, "bf16", "cuda13-sm_90a").flops, (Counts{{"flops.bf16.add", 30}}));
  }
  EXPECT_THROW(
      model("validation/half", {{"form", std::string("packed")}, {"kind", std::string("fma")}, {"n", n(9)}, {"steps", n(1)}}, "fp16"),
      std::invalid_argument);
}

TEST(gpu_models, of_bf16_sums_before_sm_90_are_fmas_and_say_so) {
  const Parameters point{{"form", std::string("packed")}, {"kind", std::string("add")}, {"n", n(10)}, {"steps", n(3)}};
  const Work work = model("validation/half", point, "bf16", "cuda13-sm_80");
  EXPECT_EQ(work.flops, (Counts{{"flops.bf16.fma", 30}}));
  EXPECT_FALSE(work.note.empty());
}

/// 70 elements are two warps, of each of which 8 lanes are on, and 6 lanes that are on.
TEST(gpu_models, of_predicated_fmas_are_those_of_the_lanes_that_are_on) {
  const Parameters point{{"n", n(70)}, {"lanes", n(8)}, {"steps", n(5)}};
  EXPECT_EQ(model("validation/predicated", point).flops, (Counts{{"flops.fp64.fma", 22 * 5}}));
}

TEST(gpu_models, of_divisions_and_roots_are_one_operation_by_convention_and_an_interval_as_executed) {
  for (const std::string function : {"div", "sqrt"}) {
    const Work work = model("validation/special", {{"function", function}, {"n", n(10)}});
    EXPECT_EQ(work.flops.at("flops.fp64." + function), Amount(10));
    EXPECT_EQ(work.flops.at("flops.fp64.fma"), Amount(0, 320));
    EXPECT_EQ(counts(work).at("flops.fp64").lo, 10U);
    EXPECT_FALSE(work.note.empty());
  }
  const Counts single = counts(model("validation/special", {{"function", std::string("div")}, {"n", n(10)}}, "fp32"));
  EXPECT_EQ(single.at("flops.fp64"), Amount(0)) << "no fp64 instruction is in fp32 sequences";
  EXPECT_EQ(single.at("flops.fp32.div"), Amount(10));
  EXPECT_EQ(counts(model("validation/special", {{"function", std::string("exp")}, {"n", n(10)}})).at("flops.fp64").lo, 0U);
}

/// Two blocks of 32 KiB are read three times. Each thread's sum has 4 bytes, and the clock 32.
TEST(gpu_models, of_re_read_shared_memory_load_it_from_global_memory_once) {
  const Counts shared = counts(model("ert/shared", {{"blocks", n(2)}, {"repeat", n(3)}}));
  EXPECT_EQ(shared.at("bytes.reg-shared.load"), Amount(2 * 32768 * 3));
  EXPECT_EQ(shared.at("bytes.reg-shared.store"), Amount(2 * 32768));
  EXPECT_EQ(shared.at("bytes.reg-L1.load"), Amount(2 * 32768));
  EXPECT_EQ(shared.at("bytes.reg-L1.store"), Amount(2 * 4096 + 32));
  const Counts l1 = counts(model("ert/l1", {{"blocks", n(2)}, {"pieces", n(4)}, {"repeat", n(3)}}));
  EXPECT_EQ(l1.at("bytes.reg-L1.load"), Amount(2 * 65536 * 3));
  EXPECT_EQ(l1.at("bytes.reg-L1.store"), Amount(2 * 4096 + 32));
  EXPECT_EQ(l1.at("bytes.reg-shared.load"), Amount(0));
}

/// Eight chains a thread, 32 operations of each in an iteration, two numbers an instruction.
TEST(gpu_models, of_16_bit_sums_and_products_may_be_fmas) {
  const auto peak = [&](const char* form, const char* precision) {
    return model("ert/peak",
                 {{"form", std::string(form)}, {"packed", std::string("yes")}, {"blocks", n(1)}, {"threads", n(32)}, {"iterations", n(1)}},
                 precision);
  };
  constexpr std::uint64_t all = 32 * 8 * 32 * 2;
  for (const std::string precision : {"fp16", "bf16"}) {
    const std::string flops = "flops." + precision;
    EXPECT_EQ(peak("fma", precision.c_str()).flops, (Counts{{flops + ".fma", all}}));
    EXPECT_TRUE(peak("fma", precision.c_str()).note.empty());
    EXPECT_EQ(peak("add", precision.c_str()).flops, (Counts{{flops + ".add", Amount(0, all)}, {flops + ".fma", Amount(0, all)}}));
    EXPECT_EQ(peak("mul", precision.c_str()).flops, (Counts{{flops + ".mul", Amount(0, all)}, {flops + ".fma", Amount(0, all)}}));
    EXPECT_EQ(peak("muladd", precision.c_str()).flops,
              (Counts{{flops + ".add", Amount(0, all / 2)}, {flops + ".mul", Amount(0, all / 2)}, {flops + ".fma", Amount(0, all)}}));
    EXPECT_NE(peak("add", precision.c_str()).note.find("16384 operations"), std::string::npos);
  }
  EXPECT_EQ(peak("add", "fp64").flops, (Counts{{"flops.fp64.add", 8192}, {"flops.fp64.fma", 0}}));
}

/// A thread has one chain, 256 operations of it in an iteration.
TEST(gpu_models, of_single_16_bit_numbers_are_one_chain_a_thread) {
  const Work work = model(
      "ert/peak", {{"form", std::string("fma")}, {"packed", std::string("no")}, {"blocks", n(3)}, {"threads", n(64)}, {"iterations", n(5)}},
      "fp16");
  EXPECT_EQ(work.flops, (Counts{{"flops.fp16.fma", 3 * 64 * 256 * 5}}));
  EXPECT_EQ(counts(work).at("bytes.reg-L1.store"), Amount(3 * 64 * 2 + 32));
}

/// 64 starts of 8 bytes: each of 100 blocks may fetch them into another L1. What they store, 8 chains of 256 threads, is exact.
TEST(gpu_models, of_arithmetic_in_registers_read_the_starts_once_a_multiprocessor_at_most) {
  const Counts peak = counts(
      model("ert/peak",
            {{"form", std::string("fma")}, {"packed", std::string("yes")}, {"blocks", n(100)}, {"threads", n(256)}, {"iterations", n(1)}}));
  EXPECT_EQ(peak.at("bytes.reg-L1.store"), Amount(100 * 256 * 8 * 8 + 32));
  EXPECT_LE(peak.at("bytes.L1-L2.demand_read").lo, 512U);
  EXPECT_GE(peak.at("bytes.L1-L2.demand_read").hi, 100U * 512U);
}

/// A and -A of 32 x 16 numbers of 2 bytes, B of as many: 1 KiB each, of each of 2 x 8 warps.
TEST(gpu_models, of_tensor_products_read_their_operands_once_a_multiprocessor_at_most) {
  const Counts mma = counts(model("ert/mma", {{"blocks", n(2)}, {"iterations", n(1)}}, "fp16"));
  EXPECT_EQ(mma.at("bytes.reg-L1.load"), Amount(16 * 3 * 1024));
  EXPECT_EQ(mma.at("bytes.reg-L1.store"), Amount(16 * 32 * 32 * 4 + 32));
  EXPECT_LE(mma.at("bytes.L1-L2.demand_read").lo, 3U * 1024U);
  EXPECT_GE(mma.at("bytes.L1-L2.demand_read").hi, 16U * 3U * 1024U);
}

/// Each row has 128 bytes: 64 of A and -A, 256 of B. Two iterations are five products, in which A is read once and B by four warps at most.
TEST(gpu_models, of_wgmma_store_their_operands_in_shared_memory) {
  for (const Kernel* kernel : all_kernels())
    if (kernel->name == "ert/wgmma")
      for (const std::string& precision : kernel->precisions) {
        const Counts wgmma = counts(kernel->model({{"blocks", n(3)}, {"iterations", n(2)}}, precision, ""));
        EXPECT_EQ(wgmma.at("bytes.reg-shared.store"), Amount(3 * 49152));
        EXPECT_EQ(wgmma.at("bytes.reg-shared.load"), Amount(0, 3 * 5 * (8192 + 4 * 32768)));
      }
}

TEST(gpu_models, of_fp8_by_mma_sync_are_there_only_where_it_is_an_instruction) {
  for (const Kernel* kernel : all_kernels()) {
    if (kernel->name != "ert/mma") continue;
    for (const Flavor& flavor : kernel->flavors())
      EXPECT_TRUE(flavor.precision != "fp8" || flavor.name.ends_with("sm_89") || flavor.name.ends_with("sm_120")) << flavor.name;
    const bool hopper = std::any_of(kernel->flavors().begin(), kernel->flavors().end(),
                                    [](const Flavor& flavor) { return flavor.name.ends_with("sm_90a"); });
    const auto missing = kernel->absent_flavors();
    EXPECT_EQ(std::any_of(missing.begin(), missing.end(),
                          [](const AbsentFlavor& one) { return one.name.ends_with("sm_90a") && one.reason.starts_with("fp8: "); }),
              hopper);
  }
}

/// The convention is 2 n^3; what a library does of it in tiles, and how often it reads its operands, is an interval.
TEST(gpu_models, of_a_librarys_products_are_2_n_cubed_by_convention) {
  if (!has_library()) GTEST_SKIP() << no_library;
  const auto gemm = [](std::int64_t size, const char* precision) { return model("ert/gemm", {{"n", n(size)}}, precision); };
  for (const char* type : {"fp16", "bf16", "tf32", "fp64", "fp8", "int8"})
    EXPECT_EQ(gemm(512, type).flops.at(std::string("flops.tensor.") + type), Amount(2ULL << 27)) << type;
  EXPECT_EQ(gemm(512, "fp32").flops.at("flops.fp32.fma").lo, 1U << 27);
  EXPECT_EQ(gemm(48, "bf16").flops.at("flops.tensor.bf16"), Amount(2 * 48 * 48 * 48, 2 * 256 * 256 * 256)) << "one tile";
  for (const char* type : {"fp32", "bf16", "fp64"}) {
    const Work work = gemm(512, type);
    EXPECT_EQ(total_flops(work.flops).lo, 2U << 27) << type;
    EXPECT_EQ(work.paper.at("paper.flops"), Amount(2U << 27)) << type;
    EXPECT_FALSE(work.note.empty());
  }
  EXPECT_THROW(gemm(50, "fp8"), std::invalid_argument);
}
/// An image's columns are 55 x 55 rows of 576 numbers, multiplied by 64 filters; the filters' phase stays and is empty.
TEST(gpu_models, of_a_convolution_by_a_library_are_its_products_at_least) {
  for (const auto& [precision, quantity, operations, bytes] :
       {std::tuple("fp32", "flops.fp32.fma", 1U, 4U), std::tuple("fp16", "flops.tensor.fp16", 2U, 2U),
        std::tuple("bf16", "flops.tensor.bf16", 2U, 2U)}) {
    std::vector<Phase> all;
    all = gpu_kernel("proxies/conv2d").application(papers_convolution("forward", "im2col"), precision, "lib-cublas").phases;
    ASSERT_EQ(all.size(), 3U);
    EXPECT_TRUE(all[0].work.flops.empty() && all[0].work.streams.empty());
    const std::uint64_t products = std::uint64_t{55} * 55 * 576 * 64;
    EXPECT_EQ(all[2].entries, 16U);
    EXPECT_EQ(all[2].work.flops.at(quantity).lo, operations * products) << precision;
    EXPECT_GE(all[2].work.flops.at(quantity).hi, operations * products) << precision;
    EXPECT_EQ(all[2].work.paper.at("paper.flops"), Amount(2 * products));
    const std::uint64_t operands = bytes * (std::uint64_t{55} * 55 * 576 + 576 * 64), slack = 48 * 32;
    const Counts of_products = counts(all[2].work);
    EXPECT_GE(of_products.at("bytes.L1-L2.demand_read").lo, operands - slack) << "each operand once at least";
    EXPECT_GE(of_products.at("bytes.reg-L1.load").hi, operands);
  }
  const auto refused = [](const char* variant) {
    return refusal(gpu_kernel("proxies/conv2d"), papers_convolution("forward", variant), "fp32", "lib-cublas");
  };
  EXPECT_EQ(refused("im2col"), "");
  EXPECT_EQ(refused("implicit"), "proxies/conv2d: lib-cublas is a flavor of variant=im2col");
}

/// 16 images of 55 x 55 outputs, 64 filters of 576 numbers; the panels are ours. Where the library is here, it is told of the sizes, too.
TEST(gpu_models, of_a_convolution_by_cudnn_are_those_products_and_none_are_spared) {
  const Kernel& conv = gpu_kernel("proxies/conv2d");
  const Parameters implicit = papers_convolution("forward", "implicit");
  const std::vector<Phase> own = conv.application(implicit, "fp32", "").phases,
                           all = conv.application(implicit, "fp32", "lib-cudnn").phases;
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(counts(all[0].work), counts(own[0].work)) << "the filters' panels";
  EXPECT_LE(counts(all[1].work).at("bytes.L1-L2.demand_read").lo, counts(own[1].work).at("bytes.L1-L2.demand_read").lo);
  EXPECT_EQ(refusal(conv, papers_convolution("forward", "im2col"), "fp32", "lib-cudnn"),
            "proxies/conv2d: lib-cudnn is a flavor of variant=implicit");
}

/// The papers' convolution as cuDNN's, forward and its gradients, in all precisions that are the library's.
TEST(gpu_models, of_a_convolution_and_its_gradients_by_cudnn_have_each_product_and_bring_what_is_rounded_into_fp32) {
  const Kernel& conv = gpu_kernel("proxies/conv2d");
  const std::uint64_t products = std::uint64_t{16} * 55 * 55 * 576 * 64, weights = 576 * 64, outputs = 16 * 55 * 55 * 64;
  const std::map<std::string, std::uint64_t> results{
      {"forward", outputs}, {"backward_data", 16 * 112 * 112 * 64}, {"backward_weights", weights}};
  for (const auto& [direction, numbers] : results)
    for (const std::string precision : {"fp32", "fp16", "bf16"}) {
      SCOPED_TRACE(direction + " in " + precision);
      const std::vector<Phase> all = conv.application(papers_convolution(direction.c_str()), precision, "lib-cudnn").phases;
      const bool is_of_filters = direction == "backward_weights", is_half = precision != "fp32";
      ASSERT_EQ(all.size(), 2U);
      EXPECT_EQ(all[0].name + " " + all[1].name, is_of_filters ? "products results" : "filters products");
      const Work &multiplied = all[is_of_filters ? 0 : 1].work, &last = all[1].work;
      const Amount counted = multiplied.flops.at(is_half ? "flops.tensor." + precision : "flops.fp32.fma");
      EXPECT_EQ(counted.lo, (is_half ? 2 : 1) * products);
      EXPECT_LE(counted.hi, (is_half ? 2 : 1) * products * 32) << "whole tiles of 256 where there are 64, and zeros a stride apart";
      EXPECT_EQ(multiplied.paper.at("paper.flops"), Amount(2 * products));
      // Results of 16 bits are stored by the library and loaded by ours, which stores them as fp32.
      const auto brought = std::ranges::find(last.streams, "results", &Stream::array);
      ASSERT_EQ(brought != last.streams.end(), is_half || is_of_filters);
      if (brought == last.streams.end()) continue;
      EXPECT_EQ(brought->footprint_bytes, 4 * numbers);
      EXPECT_EQ(std::ranges::find(last.streams, "the library's results", &Stream::array)->footprint_bytes, (is_half ? 2 : 4) * numbers);
      EXPECT_EQ(last.flops.contains("flops.fp16.add"), precision == "fp16");
    }
  Parameters many = papers_convolution("backward_weights");
  many.set("images", n(64));
  EXPECT_EQ(refusal(conv, many, "fp16", "lib-cudnn"),
            "proxies/conv2d: lib-cudnn rounds its results to fp16, which has no number above 65504, and these may be as large as 193600: "
            "take bf16, or smaller images");
}

/// The matrices have 1024 x 1024 numbers: A and B of 2 bytes are read, C of 4 written, past whatever registers.
TEST(gpu_models, of_a_librarys_products_move_each_matrix_once_at_least) {
  if (!has_library()) GTEST_SKIP() << no_library;
  constexpr std::uint64_t slack = 48 * 32, matrix = 1 << 20, own = 32 << 20;
  const Counts gemm = counts(model("ert/gemm", {{"n", n(1024)}}, "bf16"));
  EXPECT_EQ(gemm.at("bytes.reg-L1.load").lo, 0U);
  EXPECT_EQ(gemm.at("bytes.reg-L1.store"), Amount(0, 4 * matrix + own));
  EXPECT_EQ(gemm.at("bytes.reg-shared.load").lo, 0U);
  EXPECT_EQ(gemm.at("bytes.L1-L2.demand_read").lo, 2 * 2 * matrix - slack);
  EXPECT_EQ(gemm.at("bytes.L1-L2.write_back"), Amount(4 * matrix - slack, 4 * matrix + own + slack));
}

/// A line of 128 bytes each, of which one sector of 32 is fetched, or all four. Of the 512 MiB that they take 50 may have been kept in L2.
TEST(gpu_models, of_a_chase_are_a_sector_to_a_line_a_load) {
  constexpr std::uint64_t slack = 48 * 32, edges = 4 * 32, steps = 1 << 22, kept = 50 << 20;
  const Counts chase = counts(model("ert/chase", {{"n", n(steps)}, {"steps", n(steps)}, {"chains", n(1)}}));
  EXPECT_EQ(chase.at("bytes.reg-L1.load"), Amount(steps * 8 + 16));
  EXPECT_EQ(chase.at("bytes.reg-L1.store"), Amount(16 + 32));
  const Amount l2 = chase.at("bytes.L1-L2.demand_read"), memory = chase.at("bytes.L2-mem.demand_read");
  EXPECT_NEAR(static_cast<double>(l2.lo), steps * 32.0, slack);
  EXPECT_NEAR(static_cast<double>(memory.lo), steps * 32.0 - kept, slack);
  for (const Amount& read : {l2, memory}) EXPECT_NEAR(static_cast<double>(read.hi), steps * 128.0, slack + edges + 64);
}

/// A thread computes with four elements: 1000 are 1024.
TEST(gpu_models, of_a_vector_are_those_of_whole_blocks_past_L1) {
  const Work work = model("ert/vector", {{"k", n(8)}, {"n", n(1000)}, {"repeat", n(10)}});
  EXPECT_EQ(work.flops, (Counts{{"flops.fp64.fma", 10 * 1024 * 4}}));
  EXPECT_EQ(counts(work).at("bytes.reg-L1.load"), Amount(10 * 8192));
  EXPECT_EQ(counts(work).at("bytes.reg-L1.store"), Amount(10 * 8192 + 32));
  EXPECT_GE(counts(work).at("bytes.L1-L2.demand_read").lo + 48 * 32, 10U * 8192U);
}

/// 128 KiB in each array, ten passes.
TEST(gpu_models, of_streams_past_L1_are_all_their_references) {
  constexpr std::uint64_t slack = 48 * 32, passes = 10 * (1 << 17);
  const auto stream = [&](const char* pattern) {
    return counts(model("ert/stream", {{"pattern", std::string(pattern)}, {"n", n(1 << 14)}, {"repeat", n(10)}}));
  };
  EXPECT_EQ(stream("load").at("bytes.L1-L2.demand_read"), Amount(passes - slack, passes + slack));
  EXPECT_EQ(stream("load_weak"), stream("load")) << "another way to the same bytes";
  EXPECT_EQ(stream("triad").at("bytes.L1-L2.demand_read"), Amount(2 * passes - slack, 2 * passes + slack));
  EXPECT_EQ(stream("copy").at("bytes.reg-L1.store"), Amount(passes + 32));
  EXPECT_EQ(stream("load").at("bytes.reg-L1.store"), Amount(32));
  EXPECT_EQ(stream("update").at("bytes.reg-L1.load"), Amount(passes));
  EXPECT_EQ(stream("update").at("bytes.reg-L1.store"), Amount(passes + 32));
}

/// 4096 elements of 8 bytes, of which each crosses the link that its way names once.
TEST(gpu_models, of_transfers_are_their_bytes_over_the_link_to_the_host_and_no_others) {
  constexpr std::uint64_t slack = 48 * 32, bytes = 4096 * 8;
  for (const Kernel* kernel : all_kernels())
    if (kernel->name == "ert/transfer")
      for (Parameters point : points(*kernel, small)) {
        point.set("n", n(4096));
        const std::string way = point.word("way");
        const bool to_host = point.word("to") == "host", has_host = !way.ends_with("_peer") && way != "copy_here";
        const Counts transfer = counts(kernel->model(point, "fp64", ""));
        const Amount nothing(0, slack), all(bytes - slack, bytes + slack);
        EXPECT_EQ(transfer.at("bytes.host-dev.demand_read"), has_host && !to_host ? all : nothing) << point.path();
        EXPECT_EQ(transfer.at("bytes.host-dev.write_back"), has_host && to_host ? all : nothing) << point.path();
        EXPECT_EQ(transfer.at("bytes.reg-L1.load"), Amount(way.starts_with("kernel_") ? bytes : 0, bytes)) << point.path();
      }
}

TEST(gpu_models, name_only_quantities_that_there_are) {
  for (const Kernel* kernel : all_kernels())
    for (const Parameters& point : points(*kernel, large))
      for (const std::string& precision : kernel->precisions) {
        if (!takes(*kernel, point, precision)) continue;
        for (const auto& [quantity, amount] : counts(kernel->model(point, precision, ""))) {
          EXPECT_TRUE(is_quantity(quantity) || quantity.starts_with("paper.")) << kernel->name << " " << quantity;
          EXPECT_LE(amount.lo, amount.hi) << kernel->name << " " << point.path() << " " << quantity;
        }
      }
}

}  // namespace
}  // namespace plumbline
