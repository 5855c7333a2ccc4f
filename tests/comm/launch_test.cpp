#include "comm/launch.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "comm/ending.hpp"
#include "environment.hpp"

namespace plumbline {
namespace {

TEST(launch, a_shell_launches_nothing) { EXPECT_FALSE(find_launch(with({}))); }

TEST(launch, a_batch_script_is_one_process_whatever_the_job_holds) {
  EXPECT_FALSE(find_launch(with({{"SLURM_JOB_ID", "7"}, {"SLURM_NTASKS", "4"}, {"SLURM_PROCID", "0"}})));
}

TEST(launch, a_slurm_step_says_its_tasks) {
  const auto launch =
      find_launch(with({{"SLURM_JOB_ID", "7"}, {"SLURM_STEP_ID", "0"}, {"SLURM_STEP_NUM_TASKS", "4"}, {"SLURM_NTASKS", "8"}}));
  ASSERT_TRUE(launch);
  EXPECT_EQ(launch->size, 4);
}

TEST(launch, hydra_inside_slurm_counts_for_itself) {
  const auto launch = find_launch(with({{"PMI_SIZE", "16"}, {"PMI_RANK", "3"}, {"SLURM_STEP_ID", "0"}, {"SLURM_STEP_NUM_TASKS", "2"}}));
  ASSERT_TRUE(launch);
  EXPECT_EQ(launch->size, 16);
  EXPECT_EQ(launch->rank, 3);
}

TEST(launch, hydra_says_how_many_ranks_share_the_node) {
  const auto launch = find_launch(with({{"PMI_SIZE", "16"}, {"PMI_RANK", "3"}, {"MPI_LOCALNRANKS", "4"}}));
  ASSERT_TRUE(launch);
  EXPECT_EQ(launch->local_size, 4);
}

TEST(launch, each_launcher_says_which_of_its_nodes_ranks_this_is) {
  const auto local_rank = [](std::map<std::string, std::string> variables) { return find_launch(with(std::move(variables)))->local_rank; };
  EXPECT_EQ(local_rank({{"PMI_SIZE", "16"}, {"MPI_LOCALRANKID", "3"}, {"SLURM_LOCALID", "0"}}), 3) << "the latter is that of hydra's proxy";
  EXPECT_EQ(local_rank({{"OMPI_COMM_WORLD_SIZE", "16"}, {"OMPI_COMM_WORLD_LOCAL_RANK", "2"}}), 2);
  EXPECT_EQ(local_rank({{"SLURM_STEP_ID", "0"}, {"SLURM_STEP_NUM_TASKS", "7"}, {"SLURM_LOCALID", "1"}}), 1);
  EXPECT_EQ(local_rank({{"PMI_SIZE", "16"}}), std::nullopt);
}

TEST(launch, slurms_list_of_tasks_is_read_for_the_node) {
  const auto local_size = [](const char* node, const char* tasks) {
    return find_launch(
               with({{"SLURM_STEP_ID", "0"}, {"SLURM_STEP_NUM_TASKS", "7"}, {"SLURM_NODEID", node}, {"SLURM_STEP_TASKS_PER_NODE", tasks}}))
        ->local_size;
  };
  EXPECT_EQ(local_size("0", "7"), 7);
  EXPECT_EQ(local_size("2", "2(x3),1"), 2);
  EXPECT_EQ(local_size("3", "2(x3),1"), 1);
  EXPECT_EQ(local_size("0", "3,4"), 3);
  EXPECT_EQ(local_size("1", "3,4"), 4);
  EXPECT_EQ(local_size("9", "3,4"), 7) << "a node that the list does not have: all ranks are taken to be here";
  EXPECT_EQ(local_size("0", "many"), 7);
}

TEST(launch, a_word_that_is_no_number_says_nothing) { EXPECT_FALSE(find_launch(with({{"PMI_SIZE", "2x"}}))); }

TEST(launch, singletons_are_a_user_error_that_names_the_right_launcher) {
  const auto error = launch_mismatch(Launch{2, 0, "OMPI_COMM_WORLD_SIZE"}, 1, "MPICH Version: 4.0.2");
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code(), Exit::user_error);
  const std::string text = error->what();
  EXPECT_NE(text.find("mpiexec.mpich -n 2"), text.npos) << text;
  EXPECT_NE(text.find("OMPI_COMM_WORLD_SIZE"), text.npos) << text;
  EXPECT_EQ(text.find('\n'), text.npos);
}

TEST(launch, only_the_first_singleton_speaks) {
  const auto error = launch_mismatch(Launch{2, 1, "OMPI_COMM_WORLD_SIZE"}, 1, "MPICH Version: 4.0.2");
  ASSERT_TRUE(error);
  EXPECT_STREQ(error->what(), "");
}

TEST(launch, a_world_as_large_as_launched_is_right) {
  EXPECT_FALSE(launch_mismatch(Launch{2, 0, "PMI_SIZE"}, 2, "MPICH"));
  EXPECT_FALSE(launch_mismatch(Launch{1, 0, "PMI_SIZE"}, 1, "MPICH"));
  EXPECT_FALSE(launch_mismatch(std::nullopt, 1, "MPICH"));
}

TEST(ending, severity_orders_all_codes_and_has_an_inverse) {
  for (const Exit code : {Exit::ok, Exit::io_or_failed_case, Exit::user_error, Exit::regression, Exit::wrong_result, Exit::stopped_early}) {
    EXPECT_EQ(exit_of_severity(severity(code)), code);
    EXPECT_EQ(worse(code, Exit::ok), code);
  }
  EXPECT_EQ(worse(Exit::wrong_result, Exit::io_or_failed_case), Exit::wrong_result);
  EXPECT_EQ(worse(Exit::stopped_early, Exit::wrong_result), Exit::stopped_early);
}

}  // namespace
}  // namespace plumbline
