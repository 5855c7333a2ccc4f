#include "app/nights/history_index.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <iterator>
#include <set>

#include "app/results/result_file.hpp"
#include "app/terminal/output_file.hpp"
#include "campaign/campaign.hpp"
#include "core/error.hpp"
#include "core/fnv.hpp"
#include "core/json_text.hpp"
#include "core/status.hpp"
#include "store/file_bytes.hpp"

namespace plumbline::app {
namespace {

namespace fs = std::filesystem;

constexpr const char* index_schema = "plumbline-history-index/7";
constexpr std::int64_t year_2000_ns = 946'684'800LL * 1'000'000'000LL, day_ns = 86'400LL * 1'000'000'000LL;

struct FileStamp {
  std::uintmax_t bytes = 0;
  std::int64_t modified_ns = 0;
};

FileStamp stamp_of(const fs::path& path) {
  struct stat facts {};
  if (stat(path.c_str(), &facts) != 0) return {};
  return {static_cast<std::uintmax_t>(facts.st_size),
          static_cast<std::int64_t>(facts.st_mtim.tv_sec) * 1'000'000'000 + facts.st_mtim.tv_nsec};
}

// ---------------------------------------------------------------------------------------------------------------------- JSON

/// The things that rows are about, each written once.
class SeriesTable {
 public:
  std::size_t of(const NightRow& row) {
    const auto [at, is_new] = numbers_.try_emplace({row.key, row.row_class, row.unit}, table_.size());
    if (is_new) table_.push_back({row.key.what, row.key.node, row.row_class, row.unit});
    return at->second;
  }
  const Json& table() const { return table_; }

 private:
  std::map<std::tuple<SeriesKey, std::string, std::string>, std::size_t> numbers_;
  Json table_ = Json::array();
};

Json night_json(const Night& night, SeriesTable& series) {
  Json rows = Json::array();
  for (const auto& row : night.rows) {
    const NightValue& v = row.value;
    Json numbers{series.of(row), number(v.median), number(v.lo), number(v.hi), number(v.scatter), v.n, number(v.clock_hz)};
    numbers.push_back(v.disturbed ? Json{number(v.unshared), number(v.excuse)} : Json());
    if (row.status != Status::ok) numbers.insert(numbers.end(), {std::string(to_string(row.status)), row.reason});
    rows.push_back(std::move(numbers));
  }
  return {{"file", night.file},
          {"started_unix_ns", night.started_unix_ns},
          {"size_bytes", night.bytes},
          {"modified_unix_ns", night.modified_ns},
          {"digest", night.digest},
          {"sessions", night.sessions},
          {"cluster", night.cluster},
          {"campaign", night.campaign},
          {"distributed", night.distributed},
          {"rows", rows}};
}

double value_or_absent(const Json& json) { return json.is_number() ? json.get<double>() : absent; }

NightRow row_from(const Json& numbers, const Json& series) {
  const Json& about = series.at(numbers.at(0).get<std::size_t>());
  NightRow row{.key = {about.at(0), about.at(1)}, .row_class = about.at(2), .unit = about.at(3)};
  row.value = {.median = value_or_absent(numbers.at(1)),
               .lo = value_or_absent(numbers.at(2)),
               .hi = value_or_absent(numbers.at(3)),
               .scatter = value_or_absent(numbers.at(4)),
               .n = numbers.at(5),
               .clock_hz = value_or_absent(numbers.at(6))};
  if (const Json& disturbed = numbers.at(7); disturbed.is_array()) {
    row.value.disturbed = true;
    row.value.unshared = value_or_absent(disturbed.at(0));
    row.value.excuse = disturbed.at(1);
  }
  if (numbers.size() > 8) {
    row.reason = numbers.at(9);
    row.status = status_with(status_from(numbers.at(8).get<std::string>()).value_or(Status::failed), row.reason);
  }
  return row;
}

Night night_from(const Json& json, const Json& series) {
  Night night{.file = json.at("file"),
              .started_unix_ns = json.at("started_unix_ns"),
              .bytes = json.at("size_bytes"),
              .modified_ns = json.at("modified_unix_ns"),
              .digest = json.at("digest"),
              .sessions = json.at("sessions"),
              .cluster = json.at("cluster"),
              .campaign = json.at("campaign"),
              .distributed = json.at("distributed")};
  for (const auto& row : json.at("rows")) night.rows.push_back(row_from(row, series));
  return night;
}

/// Reads the index, by name; empty where there is none, or none that can be used.
std::map<std::string, Night> read_index(const fs::path& path, std::vector<std::string>& notes) {
  std::map<std::string, Night> known;
  std::error_code none;
  if (!fs::exists(path, none)) return known;
  try {
    const Json index = Json::parse(read_bytes(path, "index"));
    if (index.at("schema") != index_schema) throw user_error("another schema");
    for (const auto& one : index.at("files")) {
      Night night = night_from(one, index.at("series"));
      known.emplace(night.file, std::move(night));
    }
  } catch (const std::exception&) {
    known.clear();
    notes.push_back(fmt::format("{} was no whole index of this version: it was built anew", path.string()));
  }
  return known;
}

void write_index(const fs::path& path, const std::vector<Night>& nights, std::vector<std::string>& notes) {
  SeriesTable series;
  std::string files;
  for (const auto& night : nights) files += (files.empty() ? "\n" : ",\n") + json_text(night_json(night, series));
  try {
    if (!may_be_replaced(path)) throw io_error(fmt::format("{} is a device or a FIFO", path.string()));  // which would be waited for
    write_output(path,
                 fmt::format("{{\"schema\":\"{}\",\n\"series\":{},\n\"files\":[{}\n]}}\n", index_schema, json_text(series.table()), files));
  } catch (const Error& error) {
    notes.push_back(fmt::format("the index is not kept, so that all files are read again next time: {}", error.what()));
  }
}

// --------------------------------------------------------------------------------------------------------------------- files

std::uint64_t digest_of(const ObservedFile& file) {
  std::string all;
  for (const auto& one : file.side.observations) {
    all += one.key.what + '\n' + one.key.node + '\n';
    for (const auto& session : one.sessions)
      for (const double value : session) all += fmt::format("{} ", value);
  }
  for (const auto& session : file.sessions) all += session + '\n';
  return fnv1a(all);
}

std::vector<fs::path> result_files(const fs::path& folder, std::vector<std::string>& notes) {
  std::vector<fs::path> found;
  std::error_code failed;
  for (auto at = fs::recursive_directory_iterator(folder, fs::directory_options::skip_permission_denied, failed);
       !failed && at != fs::recursive_directory_iterator(); at.increment(failed)) {
    const bool hidden = at->path().filename().string().starts_with(".");
    std::error_code unknown;
    if (hidden && at->is_directory(unknown)) at.disable_recursion_pending();
    if (hidden || at->path().extension() != ".h5" || !at->is_regular_file(unknown)) continue;
    if (is_utf8(at->path().string()))
      found.push_back(at->path());
    else
      notes.push_back(fmt::format("skipped: the name of {} is not UTF-8", printable(at->path().string())));
  }
  if (failed) notes.push_back(fmt::format("{} could not be read to its end: {}", folder.string(), failed.message()));
  std::sort(found.begin(), found.end());
  return found;
}

/// Copies count once: of those that say the same the one that comes first.
void drop_copies(std::vector<Night>& nights, std::vector<std::string>& notes) {
  std::map<std::uint64_t, std::string> first;
  std::erase_if(nights, [&](const Night& night) {
    const auto [known, is_new] = first.try_emplace(night.digest, night.file);
    if (!is_new) notes.push_back(fmt::format("{} holds the same measurements as {}: it counts once", night.file, known->second));
    return !is_new;
  });
}

void doubt_clocks(const std::vector<Night>& nights, std::vector<std::string>& notes) {
  const std::int64_t now =
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
  for (std::size_t i = 0; i < nights.size(); ++i) {
    const Night& night = nights[i];
    if (i > 0 && night.started_unix_ns == nights[i - 1].started_unix_ns && night.cluster == nights[i - 1].cluster)
      notes.push_back(fmt::format("{} and {} began at the same time, {}: they are taken in the order of their names", nights[i - 1].file,
                                  night.file, utc_text(night.started_unix_ns)));
    if (night.started_unix_ns > now + day_ns)
      notes.push_back(
          fmt::format("{} began in the future, {}: a clock was wrong then, or is now", night.file, utc_text(night.started_unix_ns)));
    if (night.modified_ns + day_ns < night.started_unix_ns)
      notes.push_back(fmt::format("{} was written a day or more before it began, {}: a clock was stepped back, or the file's time was set",
                                  night.file, utc_text(night.started_unix_ns)));
  }
}

std::vector<NightRow> night_rows(const ObservedFile& file) {
  std::vector<NightRow> rows;
  for (const auto& one : file.side.observations)
    rows.push_back({one.key, one.row_class, one.unit, one.status == Status::ok ? night_value(one) : NightValue(), one.status, one.reason});
  return rows;
}

/// Imported results have none, and what a later program wrote may not be readable.
void tell_campaign(Night& night, const std::string& text) {
  if (text.empty()) return;
  try {
    const Campaign campaign = parse_campaign(text, "");  // no path: a campaign without a name is not named after the night's file
    night.campaign = campaign.name;
    night.distributed = campaign.placement == Placement::distribute;
  } catch (const Error&) {
  }
}

}  // namespace

Night night_of(const std::string& path, const ObservedFile& file) {
  const FileStamp stamp = stamp_of(path);
  Night night{.file = path,
              .started_unix_ns = file.started_unix_ns,
              .bytes = stamp.bytes,
              .modified_ns = stamp.modified_ns,
              .digest = digest_of(file)};
  if (night.started_unix_ns < year_2000_ns) night.started_unix_ns = stamp.modified_ns;  // a clock that was never set
  night.sessions.assign(file.sessions.begin(), file.sessions.end());
  night.cluster = file.cluster;
  night.rows = night_rows(file);
  tell_campaign(night, file.campaign);
  return night;
}

std::map<std::string, std::vector<Night>> by_cluster(std::vector<Night> nights) {
  std::map<std::string, std::vector<Night>> clusters;
  for (auto& night : nights) clusters[night.cluster].push_back(std::move(night));
  return clusters;
}

History load_history(const fs::path& folder) {
  std::error_code unknown;
  if (!fs::is_directory(folder, unknown))
    throw user_error(fmt::format("{} is no folder: name the one that the nightly result files are in", folder.string()));
  History history;
  const fs::path index = folder / index_name;
  auto known = read_index(index, history.notes);
  bool is_new = false;
  const std::size_t indexed = known.size();
  for (const auto& path : result_files(folder, history.notes)) {
    const std::string name = path.lexically_relative(folder).string();
    const FileStamp stamp = stamp_of(path);
    if (std::string note = unfinished_note(path.string()); !note.empty()) history.notes.push_back(std::move(note));
    const auto found = known.find(name);
    if (found != known.end() && found->second.bytes == stamp.bytes && found->second.modified_ns == stamp.modified_ns) {
      history.nights.push_back(std::move(found->second));
      continue;
    }
    try {
      Night night = night_of(path.string(), observe_file(path.string()));
      if (found != known.end() && found->second.digest != night.digest)  // a copy of a folder may have its files' content, and other times
        history.notes.push_back(
            fmt::format("{} was changed since it was indexed: result files of a history are meant to stay as they are", name));
      night.file = name;
      history.nights.push_back(std::move(night));
      is_new = true;
    } catch (const Error& error) {
      history.notes.push_back(fmt::format("skipped: {}", error.what()));
    }
  }
  if (is_new || history.nights.size() != indexed) write_index(index, history.nights, history.notes);
  std::sort(history.nights.begin(), history.nights.end(),
            [](const Night& a, const Night& b) { return std::tie(a.started_unix_ns, a.file) < std::tie(b.started_unix_ns, b.file); });
  drop_copies(history.nights, history.notes);
  doubt_clocks(history.nights, history.notes);
  return history;
}

}  // namespace plumbline::app
