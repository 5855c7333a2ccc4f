// The command plumbline expect FILE ... holds what papers say that one should see against what was measured. Exit 3: something differs.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "app/commands/command.hpp"
#include "app/commands/common_options.hpp"
#include "app/commands/schemas.hpp"
#include "app/expectations/expect_columns.hpp"
#include "app/results/result_file.hpp"
#include "app/terminal/streams.hpp"
#include "campaign/expand.hpp"
#include "campaign/suggest.hpp"
#include "core/error.hpp"

namespace plumbline::app {
namespace {

struct ExpectOptions {
  std::vector<std::string> files;         // result files; none: what would be expected is listed
  std::vector<std::string> expectations;  // of the user's
  std::vector<std::string> ids;           // globs; none: all
  bool own = false;                       // the user's alone
  Format format = Format::text;
};

void take(const std::string& file, std::vector<PaperExpectation>& all) {
  for (auto& one : read_expectations(file)) {
    const auto same = std::find_if(all.begin(), all.end(), [&](const PaperExpectation& other) { return other.id == one.id; });
    if (same != all.end())
      throw user_error(fmt::format("{}: {} has an expectation {} already; give yours another id", file, same->file, in_quotes(one.id)));
    all.push_back(std::move(one));
  }
}

/// The expectations that come with plumbline and the user's, as far as they are wanted.
std::vector<PaperExpectation> wanted_expectations(const ExpectOptions& options) {
  std::vector<PaperExpectation> all;
  if (options.own && options.expectations.empty())
    throw user_error("--own judges the expectations of your own files alone: name them by --expectations FILE");
  for (const auto& file : shared_expectations()) take(file.string(), all);
  const std::size_t shared = all.size();
  for (const auto& file : options.expectations) take(file, all);
  if (options.own) all.erase(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(shared));
  for (const auto& glob : options.ids)
    if (std::none_of(all.begin(), all.end(), [&](const PaperExpectation& one) { return matches(glob, one.id); })) {
      std::vector<std::string> ids;
      for (const auto& one : all) ids.push_back(one.id);
      throw user_error(fmt::format("--id: there is no expectation {}{}", in_quotes(glob), suggestion(glob, ids)));
    }
  std::erase_if(all, [&](const PaperExpectation& one) {
    return !options.ids.empty() &&
           std::none_of(options.ids.begin(), options.ids.end(), [&](const auto& glob) { return matches(glob, one.id); });
  });
  if (all.empty()) throw user_error("there are no expectations: none came with this program; --expectations FILE names your own");
  return all;
}

Exit expect(const ExpectOptions& options) {
  const std::vector<PaperExpectation> expectations = wanted_expectations(options);
  const MeasuredFiles files = load_measured(options.files);
  std::vector<JudgedExpectation> judged;
  for (const auto& one : expectations) judged.push_back(judge(one, files));
  std::vector<std::string> notes{expectations_summary(judged)};
  for (const auto& file : files) notes.insert(notes.end(), file->notes().begin(), file->notes().end());
  for (auto& note : expectations_notes(judged)) notes.push_back(std::move(note));
  const auto rows = [&] { return rows_json(expect_columns(), judged); };
  if (options.format == Format::json) print(document("expect", fmt::format("{}", fmt::join(options.files, " ")), rows(), notes));
  if (options.format == Format::csv) print(csv(rows()));
  if (options.format == Format::markdown) print(expectations_text(judged, options.format) + markdown_notes(notes));
  if (options.format == Format::text) print(expectations_text(judged, options.format) + note_lines(notes));
  const bool differs =
      std::any_of(judged.begin(), judged.end(), [](const auto& one) { return one.verdict == ExpectationVerdict::differs; });
  return differs ? Exit::regression : Exit::ok;
}

}  // namespace

Json expect_schema() {
  return document_schema("expect", "What papers say that one should see, held against what was measured", row_schema(expect_columns()),
                         Json());
}

void add_expect(CLI::App& app, Action& chosen) {
  auto* command =
      app.add_subcommand("expect", "what papers say that one should see, held against result files: exit 3 where something differs");
  auto options = std::make_shared<ExpectOptions>();
  command->add_option("FILE", options->files, "result files (.h5), judged together; without one the expectations are listed");
  command
      ->add_option("--expectations", options->expectations,
                   "expectations of your own (.toml), beside those that come with plumbline (may be repeated)")
      ->allow_extra_args(false)
      ->type_name("FILE");
  command->add_flag("--own", options->own, "only the expectations of your own files (--expectations)");
  command->add_option("--id", options->ids, "only these expectations: a glob over their names (may be repeated)")
      ->allow_extra_args(false)
      ->type_name("GLOB");
  add_format_options(*command, options->format);
  command->callback([&chosen, options] { chosen = [options] { return expect(*options); }; });
}

}  // namespace plumbline::app
