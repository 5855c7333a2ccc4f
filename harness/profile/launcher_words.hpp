// A launcher's command line is taken apart, so that words can be put before each program that it starts.
#pragma once
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace plumbline {

/// Whether the program starts others on many nodes: mpiexec, srun, sbatch, ...
bool is_launcher(std::string_view program);
/// Whether it is one whose command line is known here: mpiexec and mpirun of MPICH and Open MPI, prterun, srun.
bool is_known_launcher(std::string_view program);

/// Whether a word names a program that can be started here, as a shell would find it.
using IsProgram = std::function<bool(const std::string& word)>;

/// Puts `inserted` before each program that the launcher (the first word of `command`, which lies at `launcher`) is to start: mpiexec -n 4
/// app -> mpiexec -n 4 INSERTED app. The program is the first word that is neither an option nor the value of one and that `is_program`;
/// behind a ':' comes the next one. Throws Error (user) where there is none, or where the programs stand in a file.
std::vector<std::string> with_words_before_programs(const std::vector<std::string>& command, const std::filesystem::path& launcher,
                                                    const std::vector<std::string>& inserted, const IsProgram& is_program);

}  // namespace plumbline
