#include "core/error.hpp"
#include "counters/cupti/cupti_host.hpp"

namespace plumbline {

struct CuptiLibrary {};

std::vector<std::filesystem::path> CuptiHost::cupti_folders() { return {}; }

CuptiHost::CuptiHost(const std::vector<std::filesystem::path>&)
    : availability_{
          Status::unavailable,
          "CUPTI is not compiled in (cmake says why): install the CUDA toolkit 13 or PyPI's nvidia-cuda-cupti, then build again"} {}

const CuptiLibrary& CuptiHost::library() const { throw io_error(availability_.reason); }

std::string CuptiHost::version() const { return library(), ""; }

std::filesystem::path CuptiHost::folder() const { return library(), ""; }

std::vector<std::string> CuptiHost::chips() const { return library(), std::vector<std::string>(); }

std::vector<std::string> CuptiHost::base_metrics(const std::string&) const { return chips(); }

std::vector<std::string> CuptiHost::unknown_metrics(const std::string&, std::span<const std::string>) const { return chips(); }

std::optional<std::size_t> CuptiHost::passes(const std::string&, std::span<const std::string>) const { return chips().size(); }

}  // namespace plumbline
