// The JSON Schemas of what the subcommands print with --json, each made of the column lists that print it.
#pragma once
#include "app/terminal/table.hpp"

namespace plumbline::app {

Json ceilings_schema();
Json compare_profile_schema();
Json compare_schema();
Json doctor_schema();
Json expect_schema();
Json list_schema();
Json profile_schema();
Json project_matrix_schema();
Json project_scaling_schema();
Json project_schema();
Json score_schema();
Json show_machine_schema();
Json show_schema();

}  // namespace plumbline::app
