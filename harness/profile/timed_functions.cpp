#include "profile/timed_functions.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "profile/loops.hpp"

namespace plumbline {
namespace {

/// The place of a function: its file, and where it begins there.
using Place = std::pair<std::string, std::uint64_t>;

/// Whether a name only says where code lies: "libfoo.so+0x1a0". (The emulator says how far it is behind the nearest symbol, which may be a
/// megabyte, and has nothing to do with it.)
bool is_a_place(const std::string& name) {
  const auto plus = name.rfind("+0x");
  return plus != name.npos && name.find_first_not_of("0123456789abcdef", plus + 3) == name.npos;
}

void take_sum(const Samples& samples, const SampleSum& sum, TimedCode& code) {
  code.sum = sum;
  code.cpu_seconds = samples.seconds_each * static_cast<double>(sum.samples);
  code.seconds = samples.seconds_each * sum.elapsed;
}

template <class Code>
void sort_by_time(std::vector<Code>& all) {
  std::ranges::stable_sort(all, [](const auto& a, const auto& b) { return a.sum.samples > b.sum.samples; });
}

/// A function of both runs on its way into the profile.
struct Joining {
  TimedFunction function = {};
  std::vector<CodePiece> pieces = {};  // of the counted run
  std::vector<SampledPlace> places = {};
};

/// Makes the loops of a function, of its pieces and of the places where it was met.
class LoopsOfFunction {
 public:
  LoopsOfFunction(Joining& joining, Symbols& symbols) : joining_(joining), symbols_(symbols) {}

  void make(const Samples& samples) {
    TimedFunction& function = joining_.function;
    const std::vector<CodeLoop> found = loops_of(joining_.pieces, function.begin);
    loop_of_piece_.assign(joining_.pieces.size(), none);
    for (const CodeLoop& loop : found) add(loop);
    for (const SampledPlace& place : joining_.places) add(place);
    for (TimedLoop& loop : function.loops) take_sum(samples, loop.sum, loop);
    sort_by_time(function.loops);
  }

 private:
  static constexpr auto none = static_cast<std::size_t>(-1);

  void add(const CodeLoop& code) {
    TimedFunction& function = joining_.function;
    std::string line = symbols_.line_at(function.object, code.way_back);
    if (line.empty()) line = symbols_.line_at(function.object, code.head);
    if (line.empty()) {
      ++function.loops_without_line;
      return;
    }
    const auto known = std::ranges::find(function.loops, line, &TimedLoop::line);
    const auto number = static_cast<std::size_t>(known - function.loops.begin());
    if (known == function.loops.end()) {
      TimedLoop& loop = function.loops.emplace_back();
      loop.line = line;
      // What is not known of the function is not known of it; distances are of functions.
      loop.counts = *function.counts;
      for (auto& [event, sum] : *loop.counts) {
        if (sum) sum = 0;
        if (function.reuse && event.starts_with("bytes.") && !event.starts_with("bytes.reg-L1.")) sum = std::nullopt;
      }
    }
    for (const std::size_t piece : code.pieces) {
      plumbline::add(*function.loops[number].counts, joining_.pieces[piece].counts);
      loop_of_piece_[piece] = number;
    }
  }

  void add(const SampledPlace& place) {
    const auto address = symbols_.address_of(joining_.function.object, place.file_offset);
    if (!address) return;
    // The last piece that begins before it has it, if it reaches so far.
    const auto behind = std::ranges::upper_bound(joining_.pieces, *address, {}, &CodePiece::begin);
    if (behind == joining_.pieces.begin() || *address >= std::prev(behind)->end) return;
    const std::size_t loop = loop_of_piece_[static_cast<std::size_t>(std::prev(behind) - joining_.pieces.begin())];
    if (loop != none) plumbline::add(joining_.function.loops[loop].sum, place.sum);
  }

  Joining& joining_;
  Symbols& symbols_;
  std::vector<std::size_t> loop_of_piece_;
};

}  // namespace

std::uint64_t TimedCode::samples_worth() const {
  if (subtracted == 0) return sum.samples;
  const auto left = static_cast<double>(sum.samples);
  return static_cast<std::uint64_t>(std::llround(left * left / std::max(1.0, left + 2 * static_cast<double>(subtracted))));
}

namespace {

/// Wilson's interval at 95 % (1927) around the part that was found of so many samples, which need be no whole number.
Share wilson(double part, double samples) {
  constexpr double z = 1.96;
  const double scale = 1 + z * z / samples, middle = (part + z * z / (2 * samples)) / scale,
               half = z / scale * std::sqrt(part * (1 - part) / samples + z * z / (4 * samples * samples));
  // An end is the part itself where none or all of the samples are the code's; rounding would put it beside it.
  return {part, std::clamp(middle - half, 0.0, part), std::clamp(middle + half, part, 1.0)};
}

}  // namespace

Share share_of(std::uint64_t samples, std::uint64_t all) {
  if (all == 0) return {0, 0, 1};
  return wilson(static_cast<double>(samples) / static_cast<double>(all), static_cast<double>(all));
}

Share share_of(const TimedCode& code, const TimedCode& whole) {
  if (whole.subtracted == 0) return share_of(code.sum.samples, whole.sum.samples);
  const auto left = static_cast<double>(code.sum.samples), all = static_cast<double>(whole.sum.samples);
  if (all <= 0) return {};
  const double part = std::min(1.0, left / all);
  const double own = left + 2 * static_cast<double>(code.subtracted), of_all = all + 2 * static_cast<double>(whole.subtracted);
  const double variance = (own * (1 - 2 * part) + part * part * of_all) / (all * all);
  // As many samples of one run would leave the part as open. None and all leave it as open as the whole's samples are worth.
  const double worth = part * (1 - part) / variance;
  return wilson(part, worth > 0 && std::isfinite(worth) ? worth : std::max(1.0, static_cast<double>(whole.samples_worth())));
}

int TimedCode::cores() const { return std::max(1, static_cast<int>(std::lround(sum.cores))); }

bool TimedFunction::is_named() const { return !is_a_place(name); }

TimedProfile join(const Samples& samples, const Profile& counted, Symbols& symbols) {
  std::map<Place, Joining> functions;
  for (const auto& one : counted.functions) {
    // The symbols of a place may be several; both runs are asked for the same one.
    const FunctionPlace place = one.begin == 0 ? FunctionPlace{} : symbols.at_address(one.object, one.begin);
    const std::uint64_t begin = place.begin;
    auto& [function, pieces, places] = functions[{one.object, begin}];
    function.name = is_a_place(one.name) && !place.name.empty() ? place.name : one.name, function.object = one.object,
    function.begin = begin;
    if (!function.counts) function.counts.emplace();
    add(*function.counts, one.counts);
    add(function.reuse, one.reuse);
    add(pieces, one.pieces);
  }
  TimedProfile profile;
  std::uint64_t uncounted = 0;
  for (const auto& one : samples.functions) {
    auto& [function, pieces, places] = functions[{one.object, one.begin}];
    if (function.name.empty()) function.name = one.name, function.object = one.object, function.begin = one.begin;
    take_sum(samples, one.sum, function);
    places = one.places;
    if (!function.counts) uncounted += one.sum.samples;
  }
  take_sum(samples, samples.whole, profile.whole);
  for (auto& [key, joining] : functions) {
    if (!joining.pieces.empty()) LoopsOfFunction(joining, symbols).make(samples);
    profile.functions.push_back(std::move(joining.function));
  }
  if (uncounted > 0) profile.uncounted_part = static_cast<double>(uncounted) / static_cast<double>(samples.whole.samples);
  sort_by_time(profile.functions);
  return profile;
}

}  // namespace plumbline
