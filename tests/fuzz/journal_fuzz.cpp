// Random journals: each is read or refused by name, and one that is read can be gone on with. What
// the runs before have done is then still known.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>

#include "src/files/journal.hpp"
#include "tests/fixtures/temporary_folder.hpp"

namespace {

using namespace qturn;

void require(bool condition) {
  if (!condition) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "journal";
  std::ofstream(file, std::ios::binary)
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  try {
    const auto read = read_journal(file, folder.path());
    if (!read) return 0;
    require(read->bytes <= size && !read->runs.empty());
    Journal(file, folder.path(), read->header, read, false).end();
    const auto again = read_journal(file, folder.path());
    require(again && again->is_complete && again->header.is_of_same_run(read->header));
    require(again->files.size() == read->files.size());
    require(again->runs.size() == read->runs.size() + 1);
  } catch (const FileError&) {
  }
  return 0;
}
