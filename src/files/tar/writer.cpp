#include "src/files/tar/writer.hpp"

#include <archive.h>
#include <archive_entry.h>

#include <new>
#include <stdexcept>
#include <utility>

namespace qturn {
namespace {

constexpr std::uint64_t block = 512;

std::uint64_t in_blocks(std::uint64_t bytes) { return (bytes + block - 1) / block * block; }

}  // namespace

std::uint64_t bytes_in_tar(const NewMember& member) {
  constexpr std::size_t longest_in_header = 100;
  const std::size_t length = member.name.size();
  // A longer name is a member of its own, with a byte that ends it.
  const std::uint64_t name = length > longest_in_header ? block + in_blocks(length + 1) : 0;
  return name + block + in_blocks(member.content.size());
}

TarWriter::TarWriter(Append append)
    : append_(std::move(append)), archive_(archive_write_new()), entry_(archive_entry_new()) {
  if (!archive_ || !entry_) throw std::bad_alloc();
  archive_write_set_format_gnutar(archive_);
  archive_write_set_bytes_per_block(archive_, 0);  // contents are handed over as they lie
  check(archive_write_open(
      archive_, this, nullptr,
      [](archive*, void* client, const void* bytes, std::size_t count) -> la_ssize_t {
        auto& writer = *static_cast<TarWriter*>(client);
        try {
          if (!writer.error_ && !writer.is_given_up_)
            writer.append_({static_cast<const std::byte*>(bytes), count});
        } catch (...) {  // no exception crosses the library
          writer.error_ = std::current_exception();
        }
        // After a failure it would not free all that it has.
        return static_cast<la_ssize_t>(count);
      },
      nullptr));
}

TarWriter::~TarWriter() {
  is_given_up_ = !is_finished_;  // the end of the tar is not written
  archive_write_free(archive_);
  archive_entry_free(entry_);
}

void TarWriter::add(const NewMember& member) {
  std::span<const std::byte> content = member.content;
  archive_entry_clear(entry_);
  archive_entry_set_pathname(entry_, member.name.c_str());
  archive_entry_set_filetype(entry_, AE_IFREG);
  archive_entry_set_perm(entry_, 0644);
  archive_entry_set_mtime(entry_, 0, 0);
  archive_entry_set_size(entry_, static_cast<la_int64_t>(content.size()));
  check(archive_write_header(archive_, entry_));
  while (!content.empty()) {
    const la_ssize_t taken = archive_write_data(archive_, content.data(), content.size());
    if (taken <= 0) check(ARCHIVE_FATAL);
    content = content.subspan(static_cast<std::size_t>(taken));
  }
  check(archive_write_finish_entry(archive_));
}

void TarWriter::finish() {
  is_finished_ = true;
  check(archive_write_close(archive_));
}

void TarWriter::check(int status) const {
  if (error_) std::rethrow_exception(error_);
  if (status == ARCHIVE_OK) return;
  const char* why = archive_error_string(archive_);
  throw std::runtime_error(why ? why : "libarchive could not write");
}

}  // namespace qturn
