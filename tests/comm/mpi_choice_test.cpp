#include "comm/mpi_choice.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "environment.hpp"

namespace plumbline {
namespace {

/// The libraries in the order in which they are tried, with blanks between.
std::string tried(std::map<std::string, std::string> variables) {
  std::string names;
  for (const auto& library : mpi_libraries(with(std::move(variables)))) names += (names.empty() ? "" : " ") + library.name;
  return names;
}

constexpr const char *mpich = "libmpi.so.12 libmpich.so.12", *openmpi = "libmpi.so.40",
                     *mpich_first = "libmpi.so.12 libmpich.so.12 libmpi.so.40", *openmpi_first = "libmpi.so.40 libmpi.so.12 libmpich.so.12";

TEST(mpi_choice, a_process_that_nobody_launched_takes_none) {
  EXPECT_EQ(tried({}), "");
  EXPECT_EQ(tried({{"SLURM_JOB_ID", "7"}, {"SLURM_NTASKS", "4"}}), "") << "a batch script is one process";
}

TEST(mpi_choice, a_process_that_was_launched_alone_takes_none) {
  EXPECT_EQ(tried({{"PMI_SIZE", "1"}, {"PMI_RANK", "0"}, {"MPI_LOCALNRANKS", "1"}}), "");
  EXPECT_EQ(tried({{"OMPI_COMM_WORLD_SIZE", "1"}}), "");
}

TEST(mpi_choice, a_launcher_of_one_mpi_leaves_no_choice) {
  EXPECT_EQ(tried({{"PMI_SIZE", "2"}, {"MPI_LOCALNRANKS", "2"}}), mpich) << "hydra";
  EXPECT_EQ(tried({{"OMPI_COMM_WORLD_SIZE", "2"}}), openmpi) << "version 4";
  EXPECT_EQ(tried({{"OMPI_COMM_WORLD_SIZE", "2"}, {"PMIX_NAMESPACE", "prterun-host-1"}}), openmpi) << "version 5";
}

TEST(mpi_choice, hydra_inside_a_job_of_open_mpi_launched_last) {
  EXPECT_EQ(tried({{"OMPI_COMM_WORLD_SIZE", "1"}, {"PMI_SIZE", "2"}, {"MPI_LOCALNRANKS", "2"}}), mpich);
}

TEST(mpi_choice, slurm_says_by_its_way_of_starting_ranks_which_is_the_likelier) {
  const std::map<std::string, std::string> step{{"SLURM_JOB_ID", "7"}, {"SLURM_STEP_ID", "0"}, {"SLURM_STEP_NUM_TASKS", "2"}};
  const auto and_also = [&](const char* name) {
    auto variables = step;
    variables[name] = name == std::string("PMI_SIZE") ? "2" : "slurm.pmix.7.0";
    return tried(variables);
  };
  EXPECT_EQ(and_also("PMI_SIZE"), mpich_first) << "--mpi=pmi2";
  EXPECT_EQ(and_also("PMIX_NAMESPACE"), openmpi_first) << "--mpi=pmix";
  EXPECT_EQ(tried(step), mpich_first) << "--mpi=none, or cray_shasta";
}

TEST(mpi_choice, what_the_user_says_stands_above_the_launcher_and_loads_one_without) {
  EXPECT_EQ(tried({{"PLUMBLINE_MPI", "openmpi"}, {"PMI_SIZE", "2"}, {"MPI_LOCALNRANKS", "2"}}), openmpi);
  EXPECT_EQ(tried({{"PLUMBLINE_MPI", "mpich"}}), mpich);
  EXPECT_EQ(tried({{"PLUMBLINE_MPI", ""}}), "");
}

TEST(mpi_choice, a_path_is_taken_as_it_is_and_its_abi_is_for_the_library_to_tell) {
  const auto libraries = mpi_libraries(with({{"PLUMBLINE_MPI", "/opt/mpi/lib/libmpi.so.12"}}));
  ASSERT_EQ(libraries.size(), 1u);
  EXPECT_EQ(libraries[0].name, "/opt/mpi/lib/libmpi.so.12");
  EXPECT_FALSE(libraries[0].abi);
}

TEST(mpi_choice, another_word_is_refused_in_one_line_by_the_first_rank) {
  for (const char* word : {"intel", "lib/libmpi.so", "MPICH"}) {
    try {
      tried({{"PLUMBLINE_MPI", word}});
      FAIL() << word;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Exit::user_error);
      const std::string text = error.what();
      EXPECT_NE(text.find(std::string("PLUMBLINE_MPI=") + word), text.npos) << text;
      EXPECT_NE(text.find("mpich, openmpi or the absolute path"), text.npos) << text;
    }
  }
  try {
    tried({{"PLUMBLINE_MPI", "intel"}, {"PMI_SIZE", "2"}, {"PMI_RANK", "1"}});
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "");
  }
}

}  // namespace
}  // namespace plumbline
