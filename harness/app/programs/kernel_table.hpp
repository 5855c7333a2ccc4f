// A program's GPU kernels are printed for people and for programs.
#pragma once
#include <string>

#include "app/programs/kernel_columns.hpp"
#include "app/terminal/table.hpp"

namespace plumbline::app {

std::string kernels_text(const KernelResult& result);
/// The document plumbline-profile/1, with rows of kind total, kernel, region, copies and process. `file`: where it goes; empty: nowhere.
std::string kernels_json(const KernelResult& result, const std::string& file);
/// The JSON Schemas of its kinds of rows.
Json kernel_row_schemas();

}  // namespace plumbline::app
