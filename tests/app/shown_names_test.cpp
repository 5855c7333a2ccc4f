// Functions of a profile have short names that people can tell apart.
#include "app/programs/shown_names.hpp"

#include <gtest/gtest.h>

#include <set>

namespace plumbline::app {
namespace {

std::string shown_alone(const std::string& name) { return shown_names({name}).front(); }

TEST(ShownNames, names_without_arguments_stay) {
  for (const char* name : {"dgemm_kernel_HASWELL", "main", "???", "libfftw3.so.3.6.10+0x182180", "operator new(unsigned long)", "MAIN__",
                           "(anonymous namespace)::solve"})
    EXPECT_EQ(shown_alone(name), name);
}

TEST(ShownNames, arguments_and_results_go) {
  EXPECT_EQ(shown_alone("void axpy<double>(double, double const*, double*)"), "axpy<double>");
  EXPECT_EQ(shown_alone("std::vector<int, std::allocator<int> > sorted<int>(int) const"), "sorted<int>");
  EXPECT_EQ(shown_alone("(anonymous namespace)::solve(int)"), "(anonymous namespace)::solve");
  EXPECT_EQ(shown_alone("gmx::spread(gmx::ArrayRef<float>) [clone ._omp_fn.0]"), "gmx::spread");
}

TEST(ShownNames, procedures_of_fortran_modules_are_told_as_in_fortran) {
  EXPECT_EQ(shown_alone("__solver_MOD_step"), "solver::step");
  EXPECT_EQ(shown_alone("__a_module_of_a_very_long_name_MOD_dmumps_build_sort_index"), "...::dmumps_build_sort_index");
}

TEST(ShownNames, overloads_keep_what_tells_them_apart) {
  const auto names = shown_names({"f(int)", "f(double)", "g(int)"});
  EXPECT_EQ(names, (std::vector<std::string>{"f(int)", "f(double)", "g"}));
}

TEST(ShownNames, long_instances_of_a_template_differ_where_they_do) {
  const std::string head = "void a_library::with_long_names::kernel<a_library::policy::blocked, ";
  const std::vector<std::string> names{head + "4, true>(double*)", head + "8, true>(double*)", head + "8, false>(double*)"};
  const auto all = shown_names(names);
  EXPECT_EQ(std::set<std::string>(all.begin(), all.end()).size(), 3U);
  for (const auto& name : all) EXPECT_LE(name.size(), 40U) << name;
  EXPECT_NE(all[0].find("4, true>"), std::string::npos) << all[0];
  EXPECT_NE(all[2].find("8, false>"), std::string::npos) << all[2];
}

TEST(ShownNames, a_long_name_keeps_its_offset) {
  const std::string name = shown_alone("a_very_long_name_of_a_library_that_goes_on_for_long.so.1+0x1a0");
  EXPECT_LE(name.size(), 40U);
  EXPECT_TRUE(name.ends_with("...+0x1a0")) << name;
}

TEST(ShownNames, nothing_that_is_odd_is_refused) {
  for (const char* name : {"", "(", ")", "<", ">(", " ", "a b", "f(", "{lambda()#1}::operator()() const"})
    EXPECT_LE(shown_alone(name).size(), 40U);
}

}  // namespace
}  // namespace plumbline::app
