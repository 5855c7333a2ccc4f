// A process makes files where others may write too: never through another user's link, never into another user's file.
#pragma once
#include <filesystem>
#include <string_view>

namespace plumbline {

/// Opens a new file for writing, close-on-exec (O_EXCL, O_NOFOLLOW). A file or link of that name is removed first if it is this user's, as
/// one that an earlier run left. Gives the descriptor, or -1 with errno; EEXIST: it is another user's, or a folder.
int create_own_file(const std::filesystem::path& path, int mode = 0666);

/// Writes all of `bytes` with one write(2) where the system takes it in one; false with errno set otherwise.
bool write_all(int descriptor, std::string_view bytes);

/// Writes `text` to a new PATH.partial and renames that to PATH. Gives false with errno where it cannot; PATH.partial is removed then.
bool write_own_file(const std::filesystem::path& path, std::string_view text);

}  // namespace plumbline
