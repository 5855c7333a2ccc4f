// The flows follow from the streams. Under LRU a line is still cached when it is needed again unless more distinct lines of its set
// were touched in between than the set has ways. Three questions decide a level, each answered surely, maybe or never:
//   - does the whole working set stay from sweep to sweep?    (then nothing moves)
//   - is a line gone when the next sweep wants it?            (then every line is fetched at least once: the compulsory traffic)
//   - does a layer, the reuse within a sweep, stay cached?    (else Layer::fetched_bytes moves instead of the footprint)
// Arrays are contiguous and aligned to lines, so their lines spread evenly over the sets, to within one line a set and array.
#include "core/flows.hpp"

#include <algorithm>

#include "core/application.hpp"

namespace plumbline {
namespace {

enum class Held { surely, maybe, never };

/// Stack frames, the argument block, constants and the harness's own lines around a sweep are not data of the kernel, but a counter sees
/// them. They may be fetched in each sweep, and may push dirty lines out between sweeps, where nobody counts. What an empty region costs
/// has been subtracted before, and may be more than the sweep's share of it: so the slack is open to both sides. (slack_lines_per_thread;
/// largest seen under the emulator: 19 lines a thread, 40 in OpenBLAS.) Inner loops that stream more than a cache holds push out the stack
/// lines of the loop around them, once in each of its iterations; those that all but fill some sets lose lines of their own to the stack.
constexpr std::uint64_t slack_lines_per_outer_iteration = 2;
/// The same lines take this many ways of a set at most: two short contiguous pieces (stack, counter slots) of one line each.
constexpr std::uint64_t slack_ways = 2;
/// A layer is made of pieces (rows, planes) that may crowd in some sets. Each piece and the stack take a line more of a set than an
/// even spread would; the most in sight are the four rows of a 3-D stencil.
constexpr std::uint64_t layer_pieces = 5;
/// Whatever the associativity, a layer surely stays in a cache of twice its size, and surely does not in one of half its size. (Not
/// sooner: a kernel may give the distance of its farthest reuse, and a nearer one may still hold.)
constexpr std::uint64_t crowding = 2;

std::uint64_t ceil_divide(std::uint64_t a, std::uint64_t b) { return (a + b - 1) / b; }
std::uint64_t minus(std::uint64_t a, std::uint64_t b) { return a > b ? a - b : 0; }

std::uint64_t largest_reuse(const Stream& stream) { return stream.layers.empty() ? 0 : stream.layers.back().reuse_bytes; }

/// All of the stream is swept again and again within one sweep (B of a naive matrix product).
bool is_swept_often(const Stream& stream) { return stream.footprint_bytes > 0 && largest_reuse(stream) >= stream.footprint_bytes; }

/// One level of cache, the team that uses it, and the streams that pass it.
class LevelFlows {
 public:
  /// `application_bytes`: the data of the application of which the work is a phase, that runs between others; 0: it is swept again and
  /// again.
  LevelFlows(const Work& work, const CacheLevel& level, std::uint64_t inner_bytes, std::uint64_t threads,
             std::uint64_t application_bytes = 0)
      : work_(work),
        level_(level),
        inner_bytes_(inner_bytes),
        threads_(threads),
        is_phase_(application_bytes != 0),
        stays_(is_phase_ ? application_stays(application_bytes) : whole_set_stays()) {}

  Amount demand_read() const {
    const Amount amount = slackened(crossing([&](const Stream& s) { return s.read ? read(s) : s.written ? filled(s) : Amount{}; }));
    return {minus(amount.lo, std::max(kept_by_chance(), left_by_others())), amount.hi};
  }
  Amount rfo() const {
    if (!policy().fetches_to_write) return {};
    const auto stored_first = [&](const Stream& s) { return s.either_way ? read(s) : s.written && !s.read ? fetched(s) : Amount{}; };
    const Amount amount = slackened(crossing(stored_first));
    return {minus(amount.lo, left_by_others()), amount.hi};
  }
  /// The sum of all flows, in which a line that may come in either way is to stand once.
  Amount total(Amount of_flows) const {
    if (!policy().fetches_to_write) return of_flows;
    const Amount either = crossing([&](const Stream& s) { return s.either_way ? fetched(s) : Amount{}; });
    return {of_flows.lo + minus(either.lo, left_by_others()), of_flows.hi - either.hi};
  }
  Amount write_back() const {
    if (policy().writes_through) return slackened(crossing([&](const Stream& s) { return s.written ? written_through(s) : Amount{}; }));
    const Amount amount = slackened(crossing([&](const Stream& s) { return s.written ? written_back(s) : Amount{}; }));
    if (stays_ || !(is_phase_ || team_in_one() || policy().in_any_order)) return amount;
    // The dirty lines that one sweep, or phase, leaves to the next depend on who ran last.
    const std::uint64_t left = std::max(level_.bytes, left_by_others());
    return {minus(amount.lo, left), amount.hi + left};
  }

 private:
  const CachePolicy& policy() const { return level_.policy; }
  std::uint64_t line() const { return level_.line_bytes; }
  std::uint64_t whole_lines(std::uint64_t bytes) const { return ceil_divide(bytes, line()) * line(); }
  bool team_in_one() const { return level_.shared && threads_ > 1; }

  template <class Flow>
  Amount sum(Flow flow) const {
    Amount total;
    for (const auto& stream : work_.streams)
      if (!stream.non_temporal && !stream.scratchpad) total += flow(stream);
    return total;
  }

  /// Sums a flow over all streams that cross the boundary behind this level. A stream in another memory ends in L2, or passes it by
  /// (Blackwell has a cache of its own for it). A copy may be an engine's, which passes L1 by and may leave L2 without what it was to keep.
  template <class Flow>
  Amount crossing(Flow flow) const {
    return sum([&](const Stream& s) -> Amount {
      const bool elsewhere = s.memory != Stream::Memory::own;
      if (elsewhere && level_.shared) return {};
      const Amount amount = flow(s);
      if (!elsewhere && !s.copied) return amount;
      return {0, level_.shared && amount.hi == 0 && s.copied ? compulsory(s).hi : amount.hi};
    });
  }

  /// The bytes of a stream that one thread touches. A team's parts differ by a grain of unknown size, and touch a neighbour's halo.
  Amount share(const Stream& s) const {
    if (threads_ == 1 || s.shared || s.per_thread) return s.footprint_bytes;
    const std::uint64_t even = ceil_divide(s.footprint_bytes, threads_);
    return {even - even / 4, std::min(s.footprint_bytes, even + even / 4 + largest_reuse(s))};
  }
  /// The bytes of a stream that the cache holds: at least when one thread has run alone, at most when all have run.
  Amount in_cache(const Stream& s) const {
    return team_in_one() ? Amount{share(s).lo, (s.per_thread ? threads_ : 1) * s.footprint_bytes} : share(s);
  }

  bool whole_set_stays() const {
    if (policy().empty_at_start) return false;
    if (level_.ways == 0) return crowding * policy().copies * sum([&](const Stream& s) { return in_cache(s); }).hi <= level_.bytes;
    std::uint64_t ways = slack_ways;
    for (const auto& s : work_.streams)
      if (!s.non_temporal) ways += ceil_divide(ceil_divide(in_cache(s).hi, line()), sets());
    return ways <= level_.ways;
  }
  /// Threads that have a cache each may find in a phase what another one wrote in the phase before.
  bool application_stays(std::uint64_t bytes) const {
    return crowding * bytes <= level_.bytes && (threads_ == 1 || level_.shared) && !policy().empty_at_start;
  }
  std::uint64_t sets() const { return std::max<std::uint64_t>(1, level_.bytes / (line() * level_.ways)); }

  /// Whether a line is surely gone when the next sweep asks for it: all other lines were touched in between, except those between
  /// its own first and last use. Write-backs from the levels inside touch it once more, later by what those levels hold.
  bool gone_by_next_sweep(const Stream& stream) const {
    if (policy().empty_at_start) return true;
    if (is_swept_often(stream)) return layer_held(stream.layers.back()) == Held::never;
    const std::uint64_t recent = largest_reuse(stream) + inner_bytes_;
    if (level_.ways == 0) return minus(sum([&](const Stream& s) { return in_cache(s); }).lo, recent) >= crowding * level_.bytes;
    std::uint64_t ways = 0;
    for (const auto& s : work_.streams)
      if (!s.non_temporal) ways += in_cache(s).lo / line() / sets();
    return minus(ways, ceil_divide(ceil_divide(recent, line()), sets())) > level_.ways;
  }

  Held layer_held(const Stream::Layer& layer) const {
    if (policy().in_any_order) return layer_held_in_any_order(layer);
    if (layer.reuse_bytes >= crowding * level_.bytes) return Held::never;
    // A thread that pauses may find its layer pushed out of a shared cache by the others, and under the emulator they take turns.
    if (team_in_one()) return Held::maybe;
    if (crowding * layer.reuse_bytes <= level_.bytes || crowds_no_set(layer)) return Held::surely;
    return Held::maybe;
  }
  /// Wherever its pieces lie, they and the stack find ways enough in every set.
  bool crowds_no_set(const Stream::Layer& layer) const {
    return level_.ways != 0 && ceil_divide(ceil_divide(layer.reuse_bytes, line()), sets()) + layer_pieces <= level_.ways;
  }

  /// Neighbours may be at work on another multiprocessor, which has an L1 of its own, or at the same time. What all share keeps what is
  /// far smaller and loses what is far larger than itself.
  Held layer_held_in_any_order(const Stream::Layer& layer) const {
    if (!level_.shared) return Held::maybe;
    if (layer.reuse_bytes >= crowding * level_.bytes) return Held::never;
    return crowding * crowding * policy().copies * layer.reuse_bytes <= level_.bytes ? Held::surely : Held::maybe;
  }

  /// Bytes of the last sweep that may still be cached, however much was touched in between: no GPU's replacement is documented, and one
  /// that chooses at random keeps some of anything.
  std::uint64_t kept_by_chance() const { return policy().in_any_order && !policy().empty_at_start ? level_.bytes : 0; }

  /// Bytes that the phases before may have left in the team's caches of this level.
  std::uint64_t left_by_others() const { return is_phase_ && !stays_ ? level_.bytes * (level_.shared ? 1 : threads_) : 0; }

  /// The bytes that come at least: every line once, by whichever threads touch it.
  Amount compulsory(const Stream& s) const {
    const std::uint64_t lines = whole_lines(s.touched_bytes == 0 ? s.footprint_bytes : s.touched_bytes);
    if (threads_ == 1) return lines;
    if (s.shared) return {level_.shared ? lines : threads_ * lines, threads_ * lines};
    if (s.per_thread) return {lines, threads_ * lines};  // a thread without work leaves its own alone
    const std::uint64_t halo = (threads_ - 1) * whole_lines(std::max(line(), largest_reuse(s)));
    return {lines, std::min(lines + halo, threads_ * lines)};
  }
  /// The bytes that move once a layer is broken: as declared, give or take a line wherever a row or plane of it begins (four to a layer).
  Amount refetched(const Stream& s, const Stream::Layer& layer) const {
    const std::uint64_t edges = whole_lines(4 * line() * times_through(layer));
    const Amount once = compulsory(s);
    return {std::max(once.lo, minus(layer.fetched_bytes, edges)), std::max(once.hi, whole_lines(layer.fetched_bytes) + edges)};
  }

  static std::uint64_t times_through(const Stream::Layer& layer) {
    return ceil_divide(layer.fetched_bytes, std::max<std::uint64_t>(1, layer.reuse_bytes));
  }

  Amount fetched(const Stream& s) const {
    // A sweep that goes on where the last one stopped, or takes another buffer, may touch lines that no sweep has touched yet.
    const bool may_be_new = s.touched_bytes != 0 || (s.pooled && threads_ > 1);
    if (stays_) return may_be_new ? Amount{0, compulsory(s).hi} : Amount{};
    Amount amount = compulsory(s);
    // Layers grow: the innermost one that is broken breaks all outer ones too, and costs the most.
    for (auto layer = s.layers.rbegin(); layer != s.layers.rend(); ++layer) {
      const Held held = layer_held(*layer);
      if (held != Held::surely) amount.hi = std::max(amount.hi, refetched(s, *layer).hi);
      if (held == Held::never && !layer->upper_bound)
        amount.lo = std::max(amount.lo, minus(refetched(s, *layer).lo, kept_by_chance() * times_through(*layer)));
    }
    if (!gone_by_next_sweep(s)) amount.lo = minus(amount.lo, compulsory(s).hi);
    return amount;
  }

  /// Bytes that loads bring in. Loads that go past the first cache are all seen behind it.
  Amount read(const Stream& s) const {
    if (s.past_L1 && !level_.shared) return {s.loads * s.element_bytes, s.loads * s.element_bytes + straddles(s)};
    const Amount amount = fetched(s);
    return {s.either_way ? 0 : amount.lo, amount == Amount{} ? 0 : amount.hi + (level_.shared ? 0 : straddles(s))};
  }
  /// Bytes that stores to a part of a sector bring in, in a cache that fetches nothing else for stores.
  Amount filled(const Stream& s) const {
    return policy().fetches_to_write || policy().writes_through || stays_ ? Amount{} : Amount{0, straddles(s)};
  }
  Amount written_through(const Stream& s) const {
    const std::uint64_t stored = s.stores * s.element_bytes;
    return {s.at_most ? std::min(stored, compulsory(s).lo) : stored, stored + straddles(s)};
  }
  std::uint64_t straddles(const Stream& s) const { return s.straddles * line(); }

  /// A line is written back once a sweep, or as often as it was fetched when its layer is broken between two writes.
  Amount written_back(const Stream& s) const {
    const Amount in = fetched(s);
    if (s.layers.empty() || in == Amount{}) return in;
    return {gone_by_next_sweep(s) ? compulsory(s).lo : 0, in.hi};
  }

  /// Iterations of the loops around those that stream more than the cache holds, or all but fill some of its sets: as often as such layers
  /// are gone through.
  std::uint64_t outer_iterations() const {
    std::uint64_t most = 0;
    for (const auto& s : work_.streams)
      for (const auto& layer : s.layers)
        if (layer_held(layer) != Held::surely || (level_.ways != 0 && !crowds_no_set(layer))) most = std::max(most, times_through(layer));
    return most;
  }

  Amount slackened(Amount amount) const {
    const std::uint64_t slack = slack_lines_per_thread * threads_ * line();
    const std::uint64_t spilled = stays_ || policy().in_any_order ? 0 : slack_lines_per_outer_iteration * outer_iterations() * line();
    return {minus(amount.lo, slack), amount.hi + slack + spilled};
  }

  const Work& work_;
  const CacheLevel& level_;
  std::uint64_t inner_bytes_, threads_;
  bool is_phase_, stays_;
};

void add_flops(const Work& work, Counts& counts) {
  counts.insert(work.flops.begin(), work.flops.end());
  // A precision that the kernel does not name is a zero by arithmetic, and so a zero test for its counters.
  for (const char* precision : {"fp64", "fp32"}) counts["flops." + std::string(precision)] = total_flops(work.flops, precision);
  for (const auto& [name, amount] : work.flops) {
    const std::string precision = name.substr(0, name.rfind('.'));
    if (precision != "flops.tensor") counts[precision] = total_flops(work.flops, precision.substr(std::string("flops.").size()));
  }
}

/// Bytes of so many elements, each of which crosses once. They are none or all where the stream states only their most, or where an engine
/// may copy it.
Amount bytes_of(const Stream& s, std::uint64_t elements) {
  return {s.at_most || s.copied ? 0 : elements * s.element_bytes, elements * s.element_bytes};
}

void add_references(const Work& work, Counts& counts) {
  Amount load, store, nt_store;
  for (const auto& s : work.streams) {
    if (s.scratchpad) continue;
    load += bytes_of(s, s.loads);
    (s.non_temporal ? nt_store : store) += bytes_of(s, s.stores);
  }
  counts["bytes.reg-L1.load"] = load;
  counts["bytes.reg-L1.store"] = store;
  counts["bytes.reg-L1.nt_store"] = nt_store;
  counts["bytes.reg-L1"] = load + store + nt_store;
}

void add_scratchpad(const Work& work, Counts& counts) {
  Amount load, store;
  for (const auto& s : work.streams)
    if (s.scratchpad) {
      load += bytes_of(s, s.loads), store += bytes_of(s, s.stores);
      // Some instructions read a tile by themselves (wgmma): a counter of loads may see that.
      for (const auto& layer : s.layers) load += Amount(layer.upper_bound ? 0 : layer.fetched_bytes, layer.fetched_bytes);
    }
  counts["bytes.reg-shared.load"] = load;
  counts["bytes.reg-shared.store"] = store;
  counts["bytes.reg-shared"] = load + store;
}

/// Adds the bytes over a GPU's link: data in the host's memory cross once at least, and at most as often as they are loaded and stored;
/// copies cross once.
void add_host_link(const Work& work, std::uint64_t sector_bytes, Counts& counts) {
  const std::uint64_t slack = slack_lines_per_thread * sector_bytes;
  const auto crossing = [&](const Stream& s, std::uint64_t elements) {
    return Amount{std::min(s.footprint_bytes, elements * s.element_bytes), s.copied ? s.footprint_bytes : elements * s.element_bytes};
  };
  Amount read, written;
  for (const auto& s : work.streams) {
    if (s.memory != Stream::Memory::host) continue;
    if (s.read) read += crossing(s, s.loads);
    if (s.written) written += crossing(s, s.stores);
  }
  counts["bytes.host-dev.demand_read"] = {minus(read.lo, slack), read.hi + slack};
  counts["bytes.host-dev.write_back"] = {minus(written.lo, slack), written.hi + slack};
  counts["bytes.host-dev.rfo"] = counts["bytes.host-dev.nt_store"] = Amount{};
  counts["bytes.host-dev"] = total_bytes(counts, "host-dev");
}

}  // namespace

std::uint64_t part_of(const CacheLevel& cache, int parts) {
  const std::uint64_t set = std::uint64_t{std::max(cache.ways, 1U)} * cache.line_bytes;
  return cache.bytes / set / static_cast<std::uint64_t>(parts) * set;
}

namespace {

Counts counts_of(const Work& work, std::span<const CacheLevel> caches, int threads, std::uint64_t application_bytes) {
  Counts counts = work.paper;
  add_flops(work, counts);
  add_references(work, counts);
  if (!caches.empty() && caches.front().policy.in_any_order) {
    add_scratchpad(work, counts);
    add_host_link(work, caches.front().line_bytes, counts);
  }
  const Amount nt_store = counts["bytes.reg-L1.nt_store"];
  const auto team = static_cast<std::uint64_t>(std::max(1, threads));
  std::uint64_t inner_bytes = 0;  // one thread's caches inside the level
  for (std::size_t i = 0; i < caches.size(); ++i) {
    const LevelFlows level(work, caches[i], inner_bytes, team, application_bytes);
    const std::string boundary = caches[i].name + "-" + (i + 1 < caches.size() ? caches[i + 1].name : "mem");
    const std::string bytes = "bytes." + boundary;
    counts[bytes + ".demand_read"] = level.demand_read();
    counts[bytes + ".rfo"] = level.rfo();
    counts[bytes + ".write_back"] = level.write_back();
    counts[bytes + ".nt_store"] = nt_store;
    counts[bytes] = level.total(total_bytes(counts, boundary));
    inner_bytes += caches[i].bytes;
  }
  return counts;
}

}  // namespace

Counts expected_counts(const Work& work, std::span<const CacheLevel> caches, int threads) { return counts_of(work, caches, threads, 0); }

Counts expected_counts(const ApplicationWork& application, const Phase& phase, std::span<const CacheLevel> caches, int threads,
                       std::span<const CacheLevel> host_caches, int host_threads) {
  Counts counts = phase.on_host ? counts_of(phase.work, host_caches, host_threads, application.data_bytes)
                                : counts_of(phase.work, caches, threads, application.data_bytes);
  counts["exchange.messages"] = phase.messages;
  counts["exchange.bytes"] = phase.message_bytes;
  if (phase.to_device_bytes + phase.from_device_bytes != 0) {
    counts["bytes.host-dev.demand_read"] = phase.to_device_bytes;
    counts["bytes.host-dev.write_back"] = phase.from_device_bytes;
    counts["bytes.host-dev"] = phase.to_device_bytes + phase.from_device_bytes;
  }
  for (auto& [quantity, amount] : counts) amount = phase.entries * amount;
  return counts;
}

Counts expected_counts(const ApplicationWork& application, std::span<const CacheLevel> caches, int threads,
                       std::span<const CacheLevel> host_caches, int host_threads) {
  Counts sum;
  for (const Phase& phase : application.phases)
    for (const auto& [quantity, amount] : expected_counts(application, phase, caches, threads, host_caches, host_threads))
      sum[quantity] += amount;
  if (std::ranges::any_of(application.phases, &Phase::on_host))
    std::erase_if(sum, [](const auto& one) { return one.first.starts_with("bytes.") && !one.first.starts_with("bytes.host-dev"); });
  return sum;
}

}  // namespace plumbline
