// The files that speak MPI share checked calls, and the communicator behind a Group.
#pragma once
#include <fmt/format.h>
#include <mpi.h>

#include <array>

#include "comm/communicator.hpp"
#include "core/error.hpp"

namespace plumbline {

inline void require_mpi_success(int code, const char* call, const char* file, int line) {
  if (code == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  throw io_error(fmt::format("{} failed at {}:{}: {}", call, file, line, text.data()));
}
#define PLUMBLINE_MPI(call) plumbline::require_mpi_success((call), #call, __FILE__, __LINE__)

struct Group::Handle {
  MPI_Comm comm = MPI_COMM_NULL;
  explicit Handle(MPI_Comm owned) : comm(owned) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() {
    if (comm != MPI_COMM_NULL) MPI_Comm_free(&comm);
  }
};

}  // namespace plumbline
