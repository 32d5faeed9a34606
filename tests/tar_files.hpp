// Tars for tests: made and read by libarchive, or by Quarterturn's own classes over it.
#ifndef QTURN_TESTS_TAR_FILES_HPP
#define QTURN_TESTS_TAR_FILES_HPP

#include <archive.h>
#include <archive_entry.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "src/files/tar/reader.hpp"
#include "src/picture/bytes.hpp"

namespace tests {

/// Names and contents, in their order.
using Members = std::vector<std::pair<std::string, std::string>>;

struct TarForm {
  int format = ARCHIVE_FORMAT_TAR_USTAR;
  int filter = ARCHIVE_FILTER_NONE;
};

/// A tar with times and owners. A content "-> NAME" makes a symbolic link.
inline std::string tar(const Members& members, const TarForm& form = {}) {
  std::string made(1 << 24, '\0');
  std::size_t used = 0;
  archive* writer = archive_write_new();
  archive_write_set_format(writer, form.format);
  archive_write_add_filter(writer, form.filter);
  archive_write_open_memory(writer, made.data(), made.size(), &used);
  for (const auto& [name, content] : members) {
    archive_entry* entry = archive_entry_new();
    const bool is_link = content.starts_with("-> ");
    archive_entry_set_pathname(entry, name.c_str());
    archive_entry_set_filetype(entry, is_link ? AE_IFLNK : AE_IFREG);
    if (is_link) archive_entry_set_symlink(entry, content.substr(3).c_str());
    archive_entry_set_perm(entry, 0600);
    archive_entry_set_mtime(entry, 1'700'000'000, 0);
    archive_entry_set_uid(entry, 1000);
    archive_entry_set_size(entry, is_link ? 0 : static_cast<la_int64_t>(content.size()));
    const bool is_written =
        archive_write_header(writer, entry) >= ARCHIVE_WARN &&
        (is_link || archive_write_data(writer, content.data(), content.size()) ==
                        static_cast<la_ssize_t>(content.size()));
    archive_entry_free(entry);
    if (!is_written) throw std::runtime_error(archive_error_string(writer));
  }
  archive_write_close(writer);
  archive_write_free(writer);
  made.resize(used);
  return made;
}

inline qturn::TarReader::ReadSome reader_of(std::string file) {
  return [file = std::move(file), at = std::size_t{0}](std::span<std::byte> memory) mutable {
    const std::size_t count = std::min(memory.size(), file.size() - at);
    std::ranges::copy(qturn::bytes_of(file).subspan(at, count), memory.begin());
    at += count;
    return count;
  };
}

/// All that it has.
inline Members members_of(const std::string& file) {
  Members members;
  qturn::TarReader reader(reader_of(file));
  while (const auto member = reader.next()) {
    const qturn::Bytes content = reader.content();
    members.emplace_back(member->name, qturn::text_of(content));
  }
  return members;
}

}  // namespace tests

#endif  // QTURN_TESTS_TAR_FILES_HPP
