// A subcommand declares its options, and what to do when it is chosen. There is one file for each; main lists them.
#pragma once
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <functional>
#include <string>

#include "core/error.hpp"

namespace plumbline::app {

/// The work of the chosen subcommand; set by its CLI callback, run by main, which turns an Error into one line and its exit code.
using Action = std::function<Exit()>;

/// A number within bounds, as the whole of its text: CLI11 takes -1 for a huge one, and cuts what is too large. `wanted`: "a number of
/// seconds".
template <class Number>
CLI::Validator number_within(Number least, Number most, const std::string& wanted) {
  return CLI::Validator(
      [=](const std::string& text) {
        Number number{};
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
        const bool is_one = error == std::errc{} && end == text.data() + text.size() && number >= least && number <= most;
        return is_one ? std::string() : fmt::format("'{}' is not {} from {} to {}", text, wanted, least, most);
      },
      "");
}

void add_doctor(CLI::App& app, Action& chosen);
void add_list(CLI::App& app, Action& chosen);
void add_run(CLI::App& app, Action& chosen);
void add_ceilings(CLI::App& app, Action& chosen);
void add_score(CLI::App& app, Action& chosen);
void add_show(CLI::App& app, Action& chosen);
void add_expect(CLI::App& app, Action& chosen);
void add_compare(CLI::App& app, Action& chosen);
void add_nodes(CLI::App& app, Action& chosen);
void add_health(CLI::App& app, Action& chosen);
void add_history(CLI::App& app, Action& chosen);
void add_check(CLI::App& app, Action& chosen);
void add_baseline(CLI::App& app, Action& chosen);
void add_project(CLI::App& app, Action& chosen);
void add_profile(CLI::App& app, Action& chosen);
void add_report(CLI::App& app, Action& chosen);
void add_import(CLI::App& app, Action& chosen);
void add_recover(CLI::App& app, Action& chosen);
void add_slurm(CLI::App& app, Action& chosen);
void add_bench(CLI::App& app, Action& chosen);
void add_schema(CLI::App& app, Action& chosen);
void add_completion(CLI::App& app, Action& chosen);
void add_manual(CLI::App& app, Action& chosen);
void add_worker(CLI::App& app, Action& chosen);
void add_profiled_rank(CLI::App& app, Action& chosen);
void add_tables(CLI::App& app, Action& chosen);

}  // namespace plumbline::app
