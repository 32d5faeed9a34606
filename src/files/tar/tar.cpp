// A file that zstd has compressed is read by two archives of libarchive: one unpacks, and the other
// reads the tar from that. So the place in the tar is known, and with it whether the tar ends where
// it should.
#include "src/files/tar/tar.hpp"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <exception>
#include <filesystem>
#include <new>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "src/files/tar/input.hpp"

namespace qturn {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t block_bytes = 512;
/// The most padding that may follow the end of a tar. The largest record of tar's
/// `--blocking-factor` that people use is 1 MiB; in 4 MB of gzip there may be 4 GB of zeros.
constexpr std::uint64_t largest_padding = std::uint64_t{64} << 20;

bool begins_with(std::span<const std::byte> head, std::string_view magic) {
  return text_of(head).starts_with(magic);
}

bool is_gzip(std::span<const std::byte> head) { return begins_with(head, "\x1f\x8b"); }

bool is_zstd(std::span<const std::byte> head) { return begins_with(head, "\x28\xb5\x2f\xfd"); }

/// A tar begins with the header of a member, which holds the sum of its own bytes. The bytes of the
/// sum count as blanks.
bool is_tar_header(std::span<const std::byte> head) {
  constexpr std::size_t sum_at = 148, sum_bytes = 8;
  if (head.size() < block_bytes) return false;
  std::uint64_t sum = sum_bytes * ' ', stated = 0;
  for (std::size_t i = 0; i < block_bytes; ++i)
    if (i < sum_at || i >= sum_at + sum_bytes) sum += std::to_integer<std::uint64_t>(head[i]);
  std::string_view digits = text_of(head.subspan(sum_at, sum_bytes));
  digits.remove_prefix(std::min(digits.find_first_not_of(' '), digits.size()));
  for (const char digit : digits) {
    if (digit < '0' || digit > '7') break;
    stated = stated * 8 + static_cast<std::uint64_t>(digit - '0');
  }
  return sum == stated;
}

std::string refusal_of(archive_entry* entry, std::string_view name) {
  if (archive_entry_hardlink(entry)) return "is a link to another member";
  switch (archive_entry_filetype(entry)) {
    case AE_IFREG:
      break;
    case AE_IFLNK:
      return "is a symbolic link";
    default:
      return "is not a regular file";
  }
  if (name.empty()) return "has no name";
  if (name.front() == '/') return "has an absolute name";
  for (const fs::path& part : fs::path(name))
    if (part == "..") return "has a name with ..";
  const fs::path last = fs::path(name).lexically_normal().filename();
  if (last.empty() || last == ".") return "has a name that ends as a folder's";
  return "";
}

}  // namespace

bool may_be_tar(std::span<const std::byte> head) {
  return is_gzip(head) || is_zstd(head) || is_tar_header(head);
}

bool is_compressed_tar(std::span<const std::byte> head) {
  return !is_tar_header(head) && (is_gzip(head) || is_zstd(head));
}

bool may_be_empty_tar(std::span<const std::byte> head) {
  return head.size() >= block_bytes && all_zero(head.first(block_bytes));
}

class TarReader::Archive {
 public:
  explicit Archive(ReadSome read, Skip skip = {})
      : read_(std::move(read)),
        skip_(std::move(skip)),
        archive_(archive_read_new()),
        buffer_(skip_ ? largest_read_between_skips : largest_read) {
    if (!archive_) throw std::bad_alloc();
  }
  ~Archive() { archive_read_free(archive_); }
  Archive(const Archive&) = delete;
  Archive& operator=(const Archive&) = delete;

  archive* get() const { return archive_; }
  archive_entry* entry() const { return entry_; }

  void open() {
    check(archive_read_open2(
        archive_, this, nullptr,
        [](archive* self, void* client, const void** bytes) {
          return static_cast<Archive*>(client)->fill(self, bytes);
        },
        skip_ ? [](archive*, void* client,
                   la_int64_t bytes) { return static_cast<Archive*>(client)->pass(bytes); }
              : static_cast<archive_skip_callback*>(nullptr),
        nullptr));
  }

  /// False at the end.
  bool next() {
    for (;;) {
      const int status = check(archive_read_next_header(archive_, &entry_));
      if (status == ARCHIVE_EOF) return false;
      if (status != ARCHIVE_RETRY) return true;
    }
  }

  /// Skips the rest of the member.
  void skip() {
    if (entry_) check(archive_read_data_skip(archive_));
  }

  /// The place in the bytes that the filters give.
  std::int64_t position() const { return archive_filter_bytes(archive_, 0); }

  std::size_t read(std::span<std::byte> memory) {
    const la_ssize_t got = archive_read_data(archive_, memory.data(), memory.size());
    if (got < 0) check(static_cast<int>(got));
    return static_cast<std::size_t>(got);
  }

  /// Reads what follows the end, so that the writer of a pipe is not stopped, and checksums are
  /// compared. Returns whether it is more than padding, or more padding than there may be.
  bool drain() {
    const std::uint64_t unread = given_ - static_cast<std::uint64_t>(position());
    const std::span last = std::span(buffer_).first(last_given_);
    bool has_more = !all_zero(last.last(std::min<std::uint64_t>(unread, last.size())));
    for (std::uint64_t padding = unread; const std::size_t got = read_(buffer_);) {
      has_more = has_more || !all_zero(std::span(buffer_).first(got));
      padding += got;
      if (padding > largest_padding) return true;
    }
    return has_more;
  }

  /// A warning of libarchive is about what is not used here, such as the owner's name.
  int check(int status) const {
    if (error_) std::rethrow_exception(error_);
    if (status >= ARCHIVE_WARN) return status;
    const char* why = archive_error_string(archive_);
    throw TarError(fmt::format("is damaged or cut: {}", why ? why : "no reason is known"));
  }

 private:
  // No exception crosses the library.
  la_ssize_t fill(archive* self, const void** bytes) noexcept {
    try {
      *bytes = buffer_.data();
      last_given_ = read_(buffer_);
      given_ += last_given_;
      return static_cast<la_ssize_t>(last_given_);
    } catch (...) {
      error_ = std::current_exception();
      archive_set_error(self, EIO, "cannot be read");
      return -1;
    }
  }

  la_int64_t pass(la_int64_t bytes) noexcept {
    const std::uint64_t passed = skip_(static_cast<std::uint64_t>(bytes));
    given_ += passed;
    return static_cast<la_int64_t>(passed);
  }

  static constexpr std::size_t largest_read = std::size_t{1} << 18;
  /// What lies between two headers is not read, so small reads cost less.
  static constexpr std::size_t largest_read_between_skips = std::size_t{1} << 12;

  ReadSome read_;
  Skip skip_;
  archive* archive_;
  archive_entry* entry_ = nullptr;
  std::exception_ptr error_;
  Bytes buffer_;
  std::uint64_t given_ = 0;     // to libarchive
  std::size_t last_given_ = 0;  // the part of it that lies in the buffer
};

TarReader::TarReader(ReadSome read, Skip skip) {
  Bytes head(tar_head_bytes);
  std::size_t have = 0;
  while (have < head.size()) {
    const std::size_t got = read(std::span(head).subspan(have));
    if (got == 0) break;
    have += got;
  }
  head.resize(have);
  if (!may_be_tar(head) && !may_be_empty_tar(head)) throw TarError("is not a tar");
  is_compressed_ = is_compressed_tar(head);
  const bool gzip = is_compressed_ && is_gzip(head);
  ReadSome whole = [read = std::move(read), head = std::move(head),
                    taken = std::size_t{0}](std::span<std::byte> memory) mutable {
    if (taken == head.size()) return read(memory);
    const std::size_t count = std::min(memory.size(), head.size() - taken);
    std::copy_n(&head[taken], count, memory.begin());
    taken += count;
    return count;
  };
  if (gzip) {
    const auto packed = std::make_shared<GzipReader>(std::move(whole));
    whole = [packed](std::span<std::byte> memory) { return packed->read_some(memory); };
  } else if (is_compressed_) {
    packed_ = std::make_unique<Archive>(std::move(whole));
    archive_read_support_filter_zstd(packed_->get());
    archive_read_support_format_raw(packed_->get());
    packed_->open();
    if (!packed_->next()) throw TarError("is not a tar");
    whole = [this](std::span<std::byte> memory) { return packed_->read(memory); };
  }
  tar_ = std::make_unique<Archive>(std::move(whole), is_compressed_ ? Skip() : std::move(skip));
  archive_read_support_format_tar(tar_->get());
  tar_->open();
}

TarReader::~TarReader() = default;

std::optional<TarMember> TarReader::next() {
  for (;;) {
    tar_->skip();
    const std::int64_t end_of_last = tar_->position();
    if (!tar_->next()) {
      // At its end a tar has two blocks of zeros.
      if (tar_->position() == end_of_last)
        throw TarError(fmt::format("is cut after {} bytes", end_of_last));
      has_more_ = tar_->drain();
      return std::nullopt;
    }
    archive_entry* entry = tar_->entry();
    if (archive_entry_filetype(entry) == AE_IFDIR) continue;
    const char* name = archive_entry_pathname(entry);
    TarMember member{.name = name ? name : "",
                     .bytes = static_cast<std::uint64_t>(archive_entry_size(entry)),
                     .refusal = {}};
    has_holes_ = archive_entry_sparse_count(entry) > 0;
    if (!is_compressed_ && !has_holes_)
      member.offset = static_cast<std::uint64_t>(tar_->position());
    member.refusal = refusal_of(entry, member.name);
    if (member.refusal.empty()) member.name = fs::path(member.name).lexically_normal().string();
    member_bytes_ = member.bytes;
    return member;
  }
}

Bytes TarReader::content(Bytes memory) {
  constexpr std::size_t first_bytes = 4 << 20;
  std::size_t have = 0;
  while (have < member_bytes_) {
    const std::size_t room = std::max({first_bytes, 2 * have, memory.size()});
    memory.resize(std::min<std::uint64_t>(member_bytes_, room));
    const std::size_t got = tar_->read(std::span(memory).subspan(have));
    if (got == 0 && have == 0 && has_holes_) {
      memory.assign(member_bytes_, std::byte{0});  // libarchive gives no bytes of one hole
      return memory;
    }
    if (got == 0) throw TarError("is damaged: a member is shorter than its header says");
    have += got;
  }
  memory.resize(have);
  return memory;
}

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
        // If this failed, libarchive would not free all its memory.
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
