#include "imports/kernel_profile.hpp"

#include <limits>
#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "core/text/whole_number.hpp"

namespace plumbline {
namespace {

using Json = nlohmann::json;

ProfiledLaunch mean_of(const Json& row, const WantedMetrics& wanted) {
  ProfiledLaunch mean{.kernel = row.at("name").get<std::string>(), .node = row.at("chip").get<std::string>(), .launch = "1"};
  mean.chip = whole_number<int>(row.at("compute_capability"));
  mean.launches = whole_number<std::int64_t>(row.at("counted_launches"));
  const auto n = static_cast<double>(mean.launches);
  for (const auto& [metric, sum] : row.at("counts").items())
    if (wanted.contains(metric)) mean.metrics[metric] = sum.is_null() ? std::numeric_limits<double>::quiet_NaN() : sum.get<double>() / n;
  // A row of before has the time of the counted launches.
  const auto timed = row.contains("scale") ? whole_number<std::uint64_t>(row.at("launches")) : static_cast<std::uint64_t>(mean.launches);
  if (!row.at("seconds").is_null() && timed > 0) mean.seconds = {row.at("seconds").get<double>() / static_cast<double>(timed)};
  return mean;
}

std::vector<ProfiledLaunch> launches_of(const Json& document, const WantedMetrics& wanted) {
  std::vector<ProfiledLaunch> launches;
  for (const auto& row : document.at("rows"))
    if (row.at("kind") == "kernel" && row.at("counted_launches") > 0) launches.push_back(mean_of(row, wanted));
  return launches;
}

}  // namespace

std::vector<ProfiledLaunch> read_kernel_profile(const std::string& text, const std::string& path, const WantedMetrics& wanted) {
  try {
    const Json document = Json::parse(text);
    if (document.at("schema") != "plumbline-profile/1") throw user_error(path + ": its schema is not plumbline-profile/1");
    auto launches = launches_of(document, wanted);
    if (launches.empty()) throw user_error(path + " has no kernel of a GPU with a counted launch: its notes say why");
    return launches;
  } catch (const Error&) {
    throw;
  } catch (const std::exception& broken) {
    throw user_error(path + ": this is no whole document of plumbline profile --gpu -o: " + broken.what());
  }
}

}  // namespace plumbline
