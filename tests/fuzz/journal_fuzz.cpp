// Random journals: each is read or refused by name, and one that is read can be gone on with. What
// the runs before have done is then still known.
#include <filesystem>
#include <fstream>

#include "src/files/journal.hpp"
#include "tests/fixtures/temporary_folder.hpp"
#include "tests/fuzz/target.hpp"

namespace qturn::fuzz {

void fuzz_journal(Input input) {
  static const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "journal";
  std::ofstream(file, std::ios::binary)
      .write(text_of(input).data(), static_cast<std::streamsize>(input.size()));
  try {
    const auto read = read_journal(file, folder.path());
    if (!read) return;
    require(read->bytes <= input.size() && !read->runs.empty());
    Journal(file, folder.path(), read->header, read, false).end();
    const auto again = read_journal(file, folder.path());
    require(again && again->is_complete && again->header.is_of_same_run(read->header));
    require(again->files.size() == read->files.size());
    require(again->runs.size() == read->runs.size() + 1);
  } catch (const FileError&) {
  }
}

}  // namespace qturn::fuzz
