// The process that reads a result file sends tables (store/table_stream.hpp): whatever a crafted file makes it send, its parent takes or
// refuses.
#include <fcntl.h>

#include "store/file_bytes.hpp"
#include "store/result_store.hpp"
#include "store/table_stream.hpp"
#include "tests/fuzz/memory_file.hpp"
#include "tests/fuzz/reader.hpp"
#include "tests/store/samples.hpp"

namespace plumbline::fuzz {

void read(std::string_view bytes) {
  constexpr std::uint64_t most = 1U << 24;
  const MemoryFile file(bytes);
  const FileDescriptor stream = open_file(file.path(), O_RDONLY);
  Unpacker rows;
  try {
    if (!receive_tables(stream.number(), rows, most)) throw user_error("the stream ends early");
  } catch (const Damage& damage) {
    throw user_error("it is damaged");  // in which words, the program makes printable
  } catch (const Error& error) {
    throw Error(error.code(), "an error was sent");
  }
}

std::string mended(std::string_view bytes) { return std::string(bytes); }

std::vector<std::string> seeds() {
  const Scratch scratch;
  Intensities derived{.derived_by = "plumbline 1", .reason = "", .rows = {{}}};
  write_store(scratch / "sample.h5", sample_results(2), &derived);
  std::vector<std::string> all;
  for (const StorePart part : {StorePart::measured, StorePart::derived}) {
    const MemoryFile stream("");
    const FileDescriptor output = open_file(stream.path(), O_WRONLY);
    TableSender sender(output.number());
    read_store(scratch / "sample.h5", part, sender);
    sender.end();
    all.push_back(slurp(stream.path()));
  }
  return all;
}

}  // namespace plumbline::fuzz
