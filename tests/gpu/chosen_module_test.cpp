// The driver's version says which of the modules for GPUs is opened; these tests make up both.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "gpu/gpu_module.hpp"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

constexpr const char *of_13 = "libplumbline_cuda.so", *of_12 = "libplumbline_cuda12.so";
constexpr int of_520 = 11080, of_535 = 12020, of_550 = 12040, of_570 = 12080, of_580 = 13000, no_driver = 0;

class chosen_module : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("modules-" + std::to_string(getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  /// Makes a folder that no other test has: what once was opened under a name, the loader gives again.
  void move_to(const std::string& name) {
    fs::remove_all(folder_);
    folder_ += "-" + name;
    fs::create_directories(folder_);
  }
  void put(const std::string& name) const { fs::copy_file(PLUMBLINE_MADE_UP_MODULE, folder_ / name); }
  OpenedGpuModule opened(int driver) const { return open_gpu_module({folder_}, driver); }
  static std::string file_of(const OpenedGpuModule& opened) {
    EXPECT_NE(opened.module, nullptr) << opened.why_not;
    return fs::path(opened.file).filename();
  }

  fs::path folder_;
};

TEST_F(chosen_module, is_the_newest_that_the_driver_runs) {
  put(of_13);
  put(of_12);
  for (const auto& [driver, file] : std::vector<std::pair<int, std::string>>{
           {of_535, of_12}, {of_550, of_12}, {of_570, of_12}, {of_580, of_13}, {of_580 + 50, of_13}, {no_driver, of_13}}) {
    const OpenedGpuModule one = opened(driver);
    EXPECT_EQ(file_of(one), file) << driver;
    EXPECT_EQ(one.cannot_run, "") << driver;
    EXPECT_TRUE(one.chosen.starts_with(file + " is taken")) << one.chosen;
  }
  EXPECT_EQ(opened(of_550).chosen, "libplumbline_cuda12.so is taken, for the driver is for CUDA 12.4");
}

TEST_F(chosen_module, is_the_other_one_where_it_does_not_open_and_that_is_said) {
  move_to("broken 13");
  put(of_12);
  std::ofstream(folder_ / of_13) << "no library";
  const OpenedGpuModule one = opened(of_580);
  EXPECT_EQ(file_of(one), of_12);
  EXPECT_EQ(one.cannot_run, "");
  EXPECT_TRUE(
      one.chosen.starts_with("libplumbline_cuda12.so is taken, for the driver is for CUDA 13.0; libplumbline_cuda.so could not be: "))
      << one.chosen;
  EXPECT_NE(one.chosen.find((folder_ / of_13).string()), std::string::npos) << "with the loader's own words: " << one.chosen;
  fs::remove(folder_ / of_12);
  EXPECT_EQ(opened(of_580).module, nullptr) << "no other one is there";
  EXPECT_NE(opened(of_580).why_not.find((folder_ / of_13).string()), std::string::npos);
}

TEST_F(chosen_module, that_a_driver_does_not_run_tells_its_kernels_where_the_one_that_it_runs_does_not_open) {
  move_to("broken 12");
  put(of_13);
  std::ofstream(folder_ / of_12) << "no library";
  const OpenedGpuModule one = opened(of_550);
  EXPECT_EQ(file_of(one), of_13);
  EXPECT_TRUE(
      one.cannot_run.starts_with("the NVIDIA driver here is for CUDA 12.4, on which libplumbline_cuda.so does not run; "
                                 "libplumbline_cuda12.so could not be: "))
      << one.cannot_run;
}

TEST_F(chosen_module, runs_on_no_driver_before_12_and_says_so_in_a_line) {
  put(of_13);
  put(of_12);
  const OpenedGpuModule one = opened(of_520);
  EXPECT_EQ(file_of(one), of_13) << "its kernels are known all the same";
  EXPECT_EQ(
      one.cannot_run,
      "the NVIDIA driver here is for CUDA 11.8, and no module for GPUs runs below CUDA 12: a driver of version 525 or later is needed");
}

TEST_F(chosen_module, that_is_missing_is_named_with_the_driver_and_what_to_do) {
  put(of_13);
  const OpenedGpuModule one = opened(of_550);
  EXPECT_EQ(file_of(one), of_13);
  EXPECT_EQ(one.cannot_run.find('\n'), std::string::npos);
  for (const char* words : {"for CUDA 12.4", "libplumbline_cuda.so, the only module here, needs driver 580",
                            "libplumbline_cuda12.so runs on it", "-DPLUMBLINE_CUDA12=ON"})
    EXPECT_NE(one.cannot_run.find(words), std::string::npos) << one.cannot_run;
}

TEST_F(chosen_module, of_cuda_12_alone_runs_on_newer_drivers_too) {
  put(of_12);
  for (const int driver : {of_535, of_580}) {
    const OpenedGpuModule one = opened(driver);
    EXPECT_EQ(file_of(one), of_12);
    EXPECT_EQ(one.cannot_run, "");
    EXPECT_NE(one.chosen.find("no other module is here"), std::string::npos) << one.chosen;
  }
}

TEST_F(chosen_module, may_be_named_by_its_file) {
  put(of_13);
  put(of_12);
  EXPECT_EQ(file_of(open_gpu_module({folder_ / of_12}, of_580)), of_12);
}

TEST_F(chosen_module, is_looked_for_in_all_folders) {
  put(of_12);
  const OpenedGpuModule one = open_gpu_module({folder_ / "none", folder_}, of_550);
  EXPECT_EQ(file_of(one), of_12);
  fs::remove(folder_ / of_12);
  const OpenedGpuModule none = opened(of_550);
  EXPECT_EQ(none.module, nullptr);
  EXPECT_NE(none.why_not.find("in " + folder_.string()), std::string::npos) << none.why_not;
}

}  // namespace
}  // namespace plumbline
