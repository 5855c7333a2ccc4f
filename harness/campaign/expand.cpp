#include "campaign/expand.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fnmatch.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>

#include "campaign/suggest.hpp"
#include "core/kernel.hpp"

namespace plumbline {
namespace {

constexpr std::size_t most_cases = 1'000'000;

bool is_glob(std::string_view text) { return text.find_first_of("*?[") != text.npos; }

template <class Range, class Name>
std::vector<std::string> names_of(const Range& range, Name name) {
  std::vector<std::string> names;
  for (const auto& element : range)
    if (std::string text{name(element)}; std::find(names.begin(), names.end(), text) == names.end()) names.push_back(std::move(text));
  return names;
}

bool contains(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool has_flavor(const Kernel& kernel, const std::string& glob) {
  const auto flavors = kernel.flavors();
  return std::any_of(flavors.begin(), flavors.end(), [&](const Flavor& flavor) { return matches(glob, std::string(flavor.name)); });
}

/// The place where a name stands by itself; npos where it does not.
std::size_t place_of_word(std::string_view text, std::string_view word) {
  const auto is_part = [&](std::size_t i) {
    return i < text.size() && (std::isalnum(static_cast<unsigned char>(text[i])) || text[i] == '_');
  };
  std::size_t at = text.find(word);
  while (at != text.npos && ((at > 0 && is_part(at - 1)) || is_part(at + word.size()))) at = text.find(word, at + 1);
  return at;
}

Space space_of(const TeamSpec& team) { return team.on_gpus() ? Space::cuda : Space::cpu; }

bool wants(const CaseSpec& spec, Space space) {
  return std::any_of(spec.teams.begin(), spec.teams.end(), [&](const auto& team) { return space_of(team.value) == space; });
}

/// A flavor for GPUs in a program that has no kernels for them, which a note has told.
bool is_beyond(const std::string& flavor, const CaseSpec& spec, const Target& target) {
  return !target.no_gpu_kernels.empty() && wants(spec, Space::cuda) && flavor.starts_with("cuda");
}

// Expands one [[cases]] table for one kernel.
class SpecExpansion {
 public:
  /// Expands a table. `elsewhere`: the same [[cases]] against the kernels of the other space.
  SpecExpansion(const Campaign& campaign, const CaseSpec& spec, const Kernel& kernel, const std::vector<const Kernel*>& elsewhere,
                const Target& target, Expansion& result, std::set<std::string>& known)
      : campaign_(campaign), spec_(spec), kernel_(kernel), elsewhere_(elsewhere), target_(target), result_(result), known_(known) {}

  /// Cases that exclude took away, and those it left (also when an earlier table holds them).
  std::size_t excluded() const { return excluded_; }
  std::size_t kept() const { return kept_; }

  void expand() {
    points_ = parameter_points();
    for (const auto& precision : precisions())
      for (const auto& point : points_)
        for (const auto& team : teams())
          for (const auto& flavor : flavors(precision)) add({&kernel_, point, precision, flavor, team});
  }

 private:
  [[noreturn]] void fail(Location at, const std::string& message) const { throw wrong_at(campaign_.path, at, message); }

  void add(Case one) {
    const auto id = one.id();
    for (const auto& pattern : spec_.exclude)
      if (matches(pattern.value, id)) {
        ++excluded_;
        return;
      }
    ++kept_;
    if (!known_.insert(id).second) return;
    if (known_.size() > most_cases) fail(spec_.at, fmt::format("the campaign has more than {} cases", most_cases));
    auto reason = why_skipped(one);
    if (reason.empty()) reason = why_impossible(one);
    if (reason.empty())
      result_.cases.push_back(std::move(one));
    else
      result_.skipped.push_back({std::move(one), std::move(reason)});
  }

  /// A kernel's model refuses values that are no case together: "ert/vector: k = 3 is neither ...". Such a combination is left out,
  /// visibly, and the others run. But a value with which there is no case at all is a mistake of who named it and the kernel.
  std::string why_impossible(const Case& one) {
    const auto refusal = refusal_of(one);
    if (!refusal) return "";
    if (!is_glob(spec_.kernel.value) && !is_a_case(one.parameters, one.precision) && !is_of_possible_values(one))
      fail(written_for(one, *refusal), fmt::format("{} ({})", *refusal, one.id()));
    return *refusal;
  }

  static std::optional<std::string> refusal_of(const Case& one) {
    try {
      one.work();
    } catch (const std::invalid_argument& refused) {
      return refused.what();
    }
    return std::nullopt;
  }

  /// Whether these values are a case in any flavor.
  bool is_a_case(const Parameters& point, const std::string& precision) const {
    const auto flavors = kernel_.flavors();
    return std::any_of(flavors.begin(), flavors.end(), [&](const Flavor& flavor) {
      return !refusal_of({&kernel_, point, precision, flavor, {}});
    });
  }

  /// Whether there is a case with the precision, and one with each written value of these.
  bool is_of_possible_values(const Case& one) {
    if (!is_possible("precision", one.precision)) return false;
    return std::all_of(spec_.parameters.begin(), spec_.parameters.end(), [&](const auto& written) {
      const std::string& name = written.first.value;
      const auto& declared = kernel_.parameters;
      const bool has = std::any_of(declared.begin(), declared.end(), [&](const ParameterSpec& own) { return own.name == name; });
      return !has || is_possible(name, one.parameters.at(name));
    });
  }

  /// Whether any case of the table's points or of the presets, in any precision, has this value of a parameter ("precision": that one).
  bool is_possible(const std::string& name, const Value& value) {
    const auto [found, is_new] = possible_.try_emplace({name, to_string(value)}, false);
    if (!is_new) return found->second;
    const bool of_precision = name == "precision";
    Parameters presets;
    for (const auto& declared : kernel_.parameters) presets.set(declared.name, declared.preset);
    if (!of_precision) presets.set(name, value);
    const auto in_any_precision = [&](const Parameters& point) {
      if (of_precision) return is_a_case(point, to_string(value));
      return point.at(name) == value && std::any_of(kernel_.precisions.begin(), kernel_.precisions.end(),
                                                    [&](const std::string& precision) { return is_a_case(point, precision); });
    };
    return found->second = in_any_precision(presets) || std::any_of(points_.begin(), points_.end(), in_any_precision);
  }

  /// The written value that a refusal names first; else the table.
  Location written_for(const Case& one, std::string_view refusal) const {
    const Written<Value>* found = nullptr;
    std::size_t first = refusal.npos;
    for (const auto& [name, values] : spec_.parameters) {
      const std::size_t at = place_of_word(refusal, name.value);
      const auto value = std::find_if(values.begin(), values.end(), [&, &wanted = name](const auto& written) {
        return written.value == one.parameters.at(wanted.value);
      });
      if (at < first && value != values.end()) first = at, found = &*value;
    }
    return found == nullptr ? spec_.at : found->at;
  }

  /// The reason why a case is skipped on the target; empty where it runs.
  std::string why_skipped(const Case& one) const {
    const auto needed = required_isa(one.flavor.name);
    if (one.team.gpus > 0)
      return target_.runs_on_gpu(needed)
                 ? ""
                 : fmt::format("needs a GPU{}{}; here: {}", needed.empty() ? "" : " that runs ", needed, target_.gpus);
    return needed.empty() || target_.runs_isa(needed) ? "" : fmt::format("needs ISA {}; this CPU runs {}", needed, target_.isas);
  }

  std::vector<std::string> precisions() const {
    if (spec_.precisions.empty()) return kernel_.precisions;
    std::vector<std::string> chosen;
    for (const auto& precision : spec_.precisions) {
      if (contains(kernel_.precisions, precision.value))
        chosen.push_back(precision.value);
      else if (is_glob(spec_.kernel.value) || any_elsewhere([&](const Kernel& k) { return contains(k.precisions, precision.value); }))
        note(fmt::format("{} has no precision {}", kernel_.name, precision.value));
      else
        fail(precision.at, fmt::format("{} has no precision {}{}", kernel_.name, in_quotes(precision.value),
                                       suggestion(precision.value, kernel_.precisions)));
    }
    return chosen;
  }

  std::vector<Team> teams() const {
    std::vector<Team> chosen;
    for (const auto& team : spec_.teams) {
      if (space_of(team.value) != kernel_.space) continue;
      const int gpus = team.value.on_gpus() ? team.value.gpus.value_or(target_.gpus_per_node) : 0;
      const int ranks = gpus > 0 ? gpus : team.value.ranks.value_or(target_.ranks_per_node);
      const Team one{ranks, team.value.threads.value_or(std::max(1, target_.cores_per_node / ranks)), gpus};
      if (has_work_for(one, team.at)) chosen.push_back(one);
    }
    return chosen;
  }

  /// Whether all threads of the team have something to do: beside the one that drives a GPU only where the kernel leaves steps to the host.
  bool has_work_for(const Team& team, Location at) const {
    if (team.gpus == 0 || team.threads == 1 || !kernel_.host_kernel.empty()) return true;
    const std::string idle = fmt::format("{} leaves nothing to the host, where 'threads' of a team with GPUs would work", kernel_.name);
    if (!is_glob(spec_.kernel.value)) fail(at, fmt::format("{}; write {{gpus={}}}", idle, team.gpus));
    note(fmt::format("{}: left out as {}", idle, team.name()));
    return false;
  }

  std::vector<Flavor> flavors(const std::string& precision) const {
    std::vector<Flavor> chosen;
    for (const auto& flavor : kernel_.flavors())
      if (flavor.precision == precision && is_meant(std::string(flavor.name))) chosen.push_back(flavor);
    note_absent_flavors();
    if (chosen.empty() && !spec_.precisions.empty()) note_precision_without_flavor(precision);
    const auto built = names_of(kernel_.flavors(), [](const Flavor& f) { return f.name; });
    const auto absent = names_of(kernel_.absent_flavors(), [](const AbsentFlavor& f) { return f.name; });
    for (const auto& glob : spec_.flavors) {
      const auto hits = [&](const auto& name) { return matches(glob.value, name); };
      if (std::any_of(built.begin(), built.end(), hits) || std::any_of(absent.begin(), absent.end(), hits)) continue;
      if (is_beyond(glob.value, spec_, target_) || any_elsewhere([&](const Kernel& k) { return has_flavor(k, glob.value); })) continue;
      if (!is_glob(glob.value) && !is_glob(spec_.kernel.value))
        fail(glob.at, fmt::format("{} has no flavor {}{}", kernel_.name, in_quotes(glob.value), suggestion(glob.value, built)));
      note(fmt::format("no flavor of {} matches {}; built are: {}", kernel_.name, in_quotes(glob.value), fmt::join(built, ", ")));
    }
    return chosen;
  }

  /// The flavors that a campaign names may all be of the kernel's other precisions: that this one is left out is then told.
  void note_precision_without_flavor(const std::string& precision) const {
    bool are_others_named = false;
    std::vector<std::string> of_precision;
    for (const auto& flavor : kernel_.flavors()) {
      are_others_named = are_others_named || is_meant(std::string(flavor.name));
      if (flavor.precision == precision) of_precision.emplace_back(flavor.name);
    }
    if (are_others_named)
      note(fmt::format("{} in {} is left out: the flavors that are named have other precisions, and of it there {}", kernel_.name,
                       precision, of_precision.empty() ? "are none" : fmt::format("are {}", fmt::join(of_precision, ", "))));
  }

  /// Whether the campaign means a flavor, by its name or by a glob: for a kernel's code for GPUs a glob means what the GPUs here run, and
  /// all of it where they run none.
  bool is_meant(const std::string& flavor) const {
    const auto names = [&](const auto& glob) { return glob.value == flavor; };
    const auto globs = [&](const auto& glob) { return matches(glob.value, flavor); };
    if (std::any_of(spec_.flavors.begin(), spec_.flavors.end(), names)) return true;
    if (std::none_of(spec_.flavors.begin(), spec_.flavors.end(), globs)) return false;
    return kernel_.space != Space::cuda || runs_here(flavor) || !has_code_here();
  }
  bool runs_here(std::string_view flavor) const { return target_.runs_on_gpu(required_isa(flavor)); }
  bool has_code_here() const {
    const auto built = kernel_.flavors();
    return std::any_of(built.begin(), built.end(), [&](const Flavor& f) { return runs_here(f.name); });
  }

  // A flavor that this kernel would have, but not here: visible, and no mistake of the campaign's author.
  void note_absent_flavors() const {
    for (const auto& absent : kernel_.absent_flavors())
      if (is_meant(absent.name)) note(fmt::format("skipped: {} as {}: {}", kernel_.name, absent.name, absent.reason));
  }

  void check(const ParameterSpec& declared, const Written<Value>& written) const {
    const bool wants_word = std::holds_alternative<std::string>(declared.preset);
    const bool is_word = std::holds_alternative<std::string>(written.value);
    const auto value = to_string(written.value);
    if (wants_word != is_word)
      fail(written.at, fmt::format("parameter '{}' of {} must be {}, not {}", declared.name, kernel_.name,
                                   wants_word ? fmt::format("one of the words {}", fmt::join(declared.choices, ", ")) : "an integer",
                                   is_word ? in_quotes(value) : value));
    if (is_word && std::find(declared.choices.begin(), declared.choices.end(), value) == declared.choices.end())
      fail(written.at,
           fmt::format("parameter '{}' of {} is {}{}", declared.name, kernel_.name, in_quotes(value), suggestion(value, declared.choices)));
    if (is_word) return;
    const auto number = std::get<std::int64_t>(written.value);
    if (number < declared.min || number > declared.max)
      fail(written.at, fmt::format("parameter '{}' of {} is {}, but must be {}", declared.name, kernel_.name, number,
                                   declared.max == std::numeric_limits<std::int64_t>::max()
                                       ? fmt::format("at least {}", declared.min)
                                       : fmt::format("from {} to {}", declared.min, declared.max)));
  }

  // The product of all parameters' values in declared order, the last one fastest.
  std::vector<Parameters> parameter_points() const {
    std::vector<Parameters> points(1);
    for (const auto& declared : kernel_.parameters) {
      const auto written =
          std::find_if(spec_.parameters.begin(), spec_.parameters.end(), [&](const auto& p) { return p.first.value == declared.name; });
      std::vector<Value> values{declared.preset};
      if (written != spec_.parameters.end()) {
        values.clear();
        for (const auto& value : written->second) {
          check(declared, value);
          values.push_back(value.value);
        }
      }
      if (points.size() * values.size() > most_cases) fail(spec_.at, fmt::format("[[cases]] has more than {} cases", most_cases));
      std::vector<Parameters> product;
      product.reserve(points.size() * values.size());
      for (const auto& point : points)
        for (const auto& value : values) product.emplace_back(point).set(declared.name, value);
      points = std::move(product);
    }
    return points;
  }

  void note(std::string text) const {
    if (std::find(result_.notes.begin(), result_.notes.end(), text) == result_.notes.end()) result_.notes.push_back(std::move(text));
  }

  template <class Has>
  bool any_elsewhere(Has has) const {
    return std::any_of(elsewhere_.begin(), elsewhere_.end(), [&](const Kernel* kernel) { return has(*kernel); });
  }

  const Campaign& campaign_;
  const CaseSpec& spec_;
  const Kernel& kernel_;
  const std::vector<const Kernel*>& elsewhere_;
  const Target& target_;
  Expansion& result_;
  std::set<std::string>& known_;
  std::vector<Parameters> points_;                                     // of the table
  std::map<std::pair<std::string, std::string>, bool> possible_ = {};  // by name and value
  std::size_t excluded_ = 0, kept_ = 0;
};

/// The kernels of a table that its teams may run, by the space that each kernel is for.
std::vector<const Kernel*> kernels_of(const Campaign& campaign, const CaseSpec& spec, const std::vector<Kernel>& all, const Target& target,
                                      std::vector<std::string>& notes) {
  std::vector<const Kernel*> chosen, of_name;
  for (const auto& kernel : all)
    if (matches(spec.kernel.value, kernel.name)) {
      of_name.push_back(&kernel);
      if (wants(spec, kernel.space)) chosen.push_back(&kernel);
    }
  const auto missing = [&](Space space) {
    return wants(spec, space) && std::none_of(chosen.begin(), chosen.end(), [&](const Kernel* kernel) { return kernel->space == space; });
  };
  if (missing(Space::cuda) && !target.no_gpu_kernels.empty()) {
    notes.push_back(fmt::format("skipped: {} on GPUs: {}", spec.kernel.value, target.no_gpu_kernels));
    return chosen;
  }
  if (of_name.empty()) {
    const auto names = names_of(all, [](const Kernel& k) { return k.name; });
    throw wrong_at(campaign.path, spec.kernel.at,
                   fmt::format("unknown kernel {}{}", in_quotes(spec.kernel.value), suggestion(spec.kernel.value, names)));
  }
  for (const auto& team : spec.teams) {
    if (!missing(space_of(team.value))) continue;
    std::vector<std::string> others;
    for (const auto& kernel : all)
      if (kernel.space == Space::cuda) others.push_back(kernel.name);
    throw wrong_at(campaign.path, team.at,
                   team.value.on_gpus()
                       ? fmt::format("{} has no version for GPUs; those that have one are: {}", spec.kernel.value, fmt::join(others, ", "))
                       : fmt::format("{} is for GPUs alone: write team = [{{gpus=1}}]", spec.kernel.value));
  }
  return chosen;
}

// A parameter, and a flavor named in full, must belong to at least one of the chosen kernels.
void require_known(const Campaign& campaign, const CaseSpec& spec, const std::vector<const Kernel*>& chosen, const Target& target) {
  std::vector<std::string> parameters, flavors;
  for (const auto* kernel : chosen) {
    for (const auto& declared : kernel->parameters) parameters.push_back(declared.name);
    for (const auto& flavor : kernel->flavors()) flavors.emplace_back(flavor.name);
    for (const auto& flavor : kernel->absent_flavors()) flavors.push_back(flavor.name);
  }
  const auto tidy = [](std::vector<std::string>& names) {
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
  };
  tidy(parameters);
  tidy(flavors);
  for (const auto& [name, values] : spec.parameters)
    if (!std::binary_search(parameters.begin(), parameters.end(), name.value))
      throw wrong_at(campaign.path, name.at,
                     fmt::format("{} has no parameter {}{}", spec.kernel.value, in_quotes(name.value), suggestion(name.value, parameters)));
  for (const auto& flavor : spec.flavors)
    if (!is_glob(flavor.value) && !is_beyond(flavor.value, spec, target) &&
        !std::binary_search(flavors.begin(), flavors.end(), flavor.value))
      throw wrong_at(campaign.path, flavor.at,
                     fmt::format("{} has no flavor {}{}", spec.kernel.value, in_quotes(flavor.value), suggestion(flavor.value, flavors)));
}

/// The newest version of a family of compilers that kernels of this program were compiled by; 0 where none was.
int newest_of(std::string_view family, const std::vector<Kernel>& all) {
  int newest = 0;
  for (const auto& kernel : all) {
    if (kernel.space != Space::cpu) continue;
    for (const auto& flavor : kernel.flavors())
      if (const auto compiler = split_flavor(flavor.name).compiler; compiler.starts_with(family))
        newest = std::max(newest, std::atoi(compiler.c_str() + family.size()));
  }
  return newest;
}

// "gcc-O3-v3" means the newest g++ that is built in. It is a glob, which may match nothing: "gcc12*-O3-v3", or "gcc*-O3-v3" where there is
// none.
void choose_newest_compilers(std::vector<Written<std::string>>& flavors, const std::vector<Kernel>& all) {
  for (auto& flavor : flavors)
    for (const std::string family : {"gcc", "clang"}) {
      if (!flavor.value.starts_with(family + "-")) continue;
      const int newest = newest_of(family, all);
      flavor.value.replace(0, family.size(), newest > 0 ? fmt::format("{}{}*", family, newest) : family + "*");
    }
}

}  // namespace

bool matches(const std::string& glob, const std::string& text) { return fnmatch(glob.c_str(), text.c_str(), 0) == 0; }

std::string required_isa(std::string_view flavor) {
  const auto parts = split_flavor(flavor);
  if (is_library(flavor)) return "";
  if (parts.compiler == "asm")
    return parts.level == "avx512" ? "v4" : parts.level == "avx2" ? "v3" : parts.level == "sse2" ? "v2" : parts.level;
  return parts.isa.empty() ? std::string(flavor) : parts.isa;  // cuda13-sm_90a
}

Expansion expand(const Campaign& campaign, const std::vector<Kernel>& all, const Target& target) {
  Expansion result;
  std::set<std::string> known;
  bool without_module = false;  // some table, as a whole
  for (CaseSpec spec : campaign.cases) {
    choose_newest_compilers(spec.flavors, all);
    const auto chosen = kernels_of(campaign, spec, all, target, result.notes);
    if (chosen.empty()) {
      without_module = true;
      continue;
    }
    require_known(campaign, spec, chosen, target);
    std::size_t excluded = 0, kept = 0;
    for (const auto* kernel : chosen) {
      std::vector<const Kernel*> elsewhere;
      std::copy_if(chosen.begin(), chosen.end(), std::back_inserter(elsewhere), [&](const Kernel* k) { return k->space != kernel->space; });
      SpecExpansion sweep(campaign, spec, *kernel, elsewhere, target, result, known);
      sweep.expand();
      excluded += sweep.excluded();
      kept += sweep.kept();
    }
    if (kept == 0 && excluded > 0)
      throw wrong_at(campaign.path, spec.exclude.front().at,
                     fmt::format("the sweep is empty: 'exclude' leaves none of the {} cases of this [[cases]]", excluded));
  }
  if (known.empty() && !without_module && campaign.ceilings.mode == CeilingsMode::none && !campaign.ceilings.node_pairs.wanted)
    throw user_error(fmt::format("{}: the sweep is empty: {}", campaign.path, fmt::join(result.notes, "; ")));
  return result;
}

}  // namespace plumbline
