#include "src/files/tar/input.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <limits>
#include <string_view>
#include <utility>

#include "src/files/content_hash.hpp"
#include "src/files/file_descriptor.hpp"
#include "src/files/safe_file.hpp"
#include "src/files/tar/tar.hpp"
#include "src/formats/table.hpp"

namespace qturn {

Bytes read_head(const std::filesystem::path& file, std::size_t count, const TarFiles* tar) {
  Bytes head;
  const auto take = [&](std::span<const std::byte> part) {
    append(head, part.first(std::min(part.size(), count - head.size())));
    return head.size() < count;
  };
  read_in_parts(file, take, tar, std::min(count, std::size_t{1} << 20));
  return head;
}

Bytes read_whole(const std::filesystem::path& file, const TarFiles* tar) {
  if (!tar || !tar->contain(file)) return read_file(file);
  return read_head(file, std::numeric_limits<std::size_t>::max(), tar);
}

FileState read_in_parts(const std::filesystem::path& file,
                        const std::function<bool(std::span<const std::byte> part)>& take,
                        const TarFiles* tar, std::size_t part_bytes) {
  if (!tar || !tar->contain(file)) return read_in_parts(file, take, part_bytes);
  tar->read_in_parts(file, take, part_bytes);
  return {};
}

TarInput::TarInput(const std::filesystem::path& file, const std::atomic<bool>& stop)
    : name_(file), file_(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY)), stop_(stop) {
  if (!file_) throw FileError("cannot read " + file.string(), file, system_code(errno));
}

TarInput::TarInput(Bytes head, const std::atomic<bool>& stop)
    : name_("standard input"), file_(-1), head_(std::move(head)), stop_(stop) {}

std::size_t TarInput::read_some(std::span<std::byte> memory) {
  if (taken_ < head_.size()) {
    const std::size_t count = std::min(memory.size(), head_.size() - taken_);
    std::copy_n(&head_[taken_], count, memory.begin());
    taken_ += count;
    return count;
  }
  const int file = file_ ? file_.get() : STDIN_FILENO;
  while (!stop_) {
    // A signal does not end a read() that waits for the other end of a pipe.
    constexpr int milliseconds = 100;
    pollfd waited = {file, POLLIN, 0};
    const int ready = ::poll(&waited, 1, milliseconds);
    if (ready == 0 || (ready < 0 && errno == EINTR)) continue;
    const ssize_t got = ::read(file, memory.data(), memory.size());
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR && errno != EAGAIN)
      throw FileError("cannot read " + name_.string(), name_, system_code(errno));
  }
  return 0;
}

std::uint64_t TarInput::skip(std::uint64_t bytes) {
  struct stat status;
  const off_t at = ::lseek(file_.get(), 0, SEEK_CUR);
  if (at < 0 || ::fstat(file_.get(), &status) != 0 || status.st_size <= at) return 0;
  // What is cut off is not there to be passed over.
  bytes = std::min(bytes, static_cast<std::uint64_t>(status.st_size - at));
  return ::lseek(file_.get(), static_cast<off_t>(bytes), SEEK_CUR) < 0 ? 0 : bytes;
}

TarFiles::TarFiles(const std::filesystem::path& tar)
    : tar_(tar), root_(std::filesystem::absolute(tar / "").lexically_normal()) {
  struct stat status;
  if (::stat(tar.c_str(), &status) == 0) state_ = state_of(status);
}

bool TarFiles::add(const TarMember& member, Bytes content) {
  const std::uint64_t hash = xxh64(member.name, 0);
  if (!places_.try_emplace(hash, Place{member.bytes, member.offset.value_or(0)}).second)
    return false;
  if (!member.offset) contents_.emplace(hash, std::move(content));
  return true;
}

Bytes TarFiles::remove(const std::string& member) {
  const std::uint64_t hash = xxh64(member, 0);
  places_.erase(hash);
  return std::move(contents_.extract(hash).mapped());
}

std::optional<std::uint64_t> TarFiles::find(const std::filesystem::path& file) const {
  const auto member = [&](std::string_view path, std::string_view root) {
    if (!path.starts_with(root)) return std::optional<std::uint64_t>();
    const std::uint64_t hash = xxh64(path.substr(root.size()), 0);
    return places_.contains(hash) ? std::optional(hash) : std::nullopt;
  };
  if (const auto as_listed = member(file.native(), tar_.native() + "/")) return as_listed;
  return member(std::filesystem::absolute(file).lexically_normal().native(), root_);
}

void TarFiles::read_in_parts(const std::filesystem::path& file,
                             const std::function<bool(std::span<const std::byte> part)>& take,
                             std::size_t part_bytes) const {
  const auto fail = [&](std::error_code why) {
    throw FileError("cannot read " + file.string(), file, why);
  };
  const std::optional<std::uint64_t> hash = find(file);
  if (!hash) fail(std::make_error_code(std::errc::no_such_file_or_directory));
  if (const auto held = contents_.find(*hash); held != contents_.end()) {
    take(held->second);
    return;
  }
  const Place& place = places_.at(*hash);
  const FileDescriptor opened(::open(tar_.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
  struct stat status;
  if (!opened || ::fstat(opened.get(), &status) != 0) fail(system_code(errno));
  if (state_of(status) != state_)
    throw FileError(tar_.string() + ": has changed since it was listed", tar_, {});
  Bytes part(std::min<std::uint64_t>(part_bytes, place.bytes));
  for (std::uint64_t done = 0; done < place.bytes;) {
    const std::size_t wanted = std::min<std::uint64_t>(part.size(), place.bytes - done);
    const ssize_t got =
        ::pread(opened.get(), part.data(), wanted, static_cast<off_t>(place.offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(system_code(errno));
    if (got == 0) fail(std::make_error_code(std::errc::io_error));  // it was cut meanwhile
    done += static_cast<std::uint64_t>(got);
    if (!take(std::span(part).first(static_cast<std::size_t>(got)))) return;
  }
}

/// False at the end of the input.
bool GzipReader::fill() {
  if (packed_.empty()) packed_ = std::span(buffer_).first(read_(buffer_));
  return !packed_.empty();
}

/// False if there is none. Zeros after a stream are padding.
bool GzipReader::begin_stream() {
  while (fill()) {
    const auto begin =
        std::ranges::find_if(packed_, [](std::byte byte) { return byte != std::byte{0}; });
    packed_ = packed_.subspan(static_cast<std::size_t>(begin - packed_.begin()));
    if (packed_.empty()) continue;
    stream_.reset();
    return true;
  }
  return false;
}

std::size_t GzipReader::read_some(std::span<std::byte> memory) {
  using State = InflateStream::State;
  std::span<std::byte> room = memory;
  while (room.size() == memory.size()) {
    if (!is_in_stream_ && !begin_stream()) return 0;
    if (!fill()) throw TarError("is damaged or cut: its gzip stream has no end");
    const State state = stream_.unpack(packed_, room);
    if (state == State::damaged)
      throw TarError(fmt::format("is damaged or cut: its gzip stream has an {}", stream_.why()));
    is_in_stream_ = state == State::goes_on;
  }
  return memory.size() - room.size();
}

namespace {

namespace fs = std::filesystem;

/// Labels and other small files may come before the first picture.
constexpr std::size_t looked_at_bytes = 4 << 20;

bool begins_with_jpegs(const fs::path& file) try {
  const std::atomic<bool> never{false};
  TarInput input(file, never);
  std::size_t left = looked_at_bytes;
  TarReader reader([&](std::span<std::byte> memory) {
    const std::size_t got = input.read_some(memory.first(std::min(left, memory.size())));
    left -= got;
    return got;
  });
  const Codec* const jpeg = codec_of_name("jpeg");
  while (const auto member = reader.next())
    if (codec_of_suffix(lower_suffix(member->name)) == jpeg) return true;
  return false;
} catch (const TarError&) {  // also where it is cut because enough was looked at
  return false;
} catch (const FileError&) {  // whoever reads it says so
  return false;
}

}  // namespace

std::uint64_t jpeg_bytes_at_most(const fs::path& tar) {
  std::error_code none;
  if (fs::is_fifo(tar, none)) return std::numeric_limits<std::uint64_t>::max();
  return begins_with_jpegs(tar) ? fs::file_size(tar) : 0;
}

}  // namespace qturn
