// The bytes of a tar: a file or standard input, as it is or compressed.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>

#include "src/files/file_descriptor.hpp"
#include "src/files/safe_file.hpp"
#include "src/files/tar/tar.hpp"
#include "src/formats/codec/zlib.hpp"
#include "src/picture/bytes.hpp"

namespace qturn {

class TarFiles;

// Reads a regular file, which lies in `tar` if that contains it. These throw FileError if it is not
// one, or cannot be read.

/// Its first bytes, at most `count`.
Bytes read_head(const std::filesystem::path& file, std::size_t count,
                const TarFiles* tar = nullptr);
/// All of it.
Bytes read_whole(const std::filesystem::path& file, const TarFiles* tar);
/// As read_in_parts() does on the disk; in a tar it has no state.
FileState read_in_parts(const std::filesystem::path& file,
                        const std::function<bool(std::span<const std::byte> part)>& take,
                        const TarFiles* tar, std::size_t part_bytes = std::size_t{1} << 20);

class TarInput {
 public:
  /// Throws FileError if it cannot be opened. `stop` must outlive it.
  TarInput(const std::filesystem::path& file, const std::atomic<bool>& stop);
  /// Standard input; `head` has been read already.
  TarInput(Bytes head, const std::atomic<bool>& stop);

  /// Blocks until there are some bytes; none at the end, or if `stop` is raised. Throws FileError.
  std::size_t read_some(std::span<std::byte> memory);
  /// Passes over bytes of a regular file, at most so many. Returns how many.
  std::uint64_t skip(std::uint64_t bytes);

 private:
  std::filesystem::path name_;
  FileDescriptor file_;  // none: standard input
  Bytes head_;
  std::size_t taken_ = 0;
  const std::atomic<bool>& stop_;
};

/// What lies where in a tar, by the paths of its members: "in.tar/x/a.txt". Only a member of a
/// regular file has an offset.
class TarFiles {
 public:
  explicit TarFiles(const std::filesystem::path& tar);

  /// Returns false if there is a member of this name. `content`: of a member without an offset.
  bool add(const TarMember& member, Bytes content = {});
  /// Hands over the content of a member that was added with it, which is not contained any more.
  Bytes remove(const std::string& member);

  bool contain(const std::filesystem::path& file) const { return find(file).has_value(); }
  /// Hands over the bytes of a member in their order, as long as `take` returns true. Throws
  /// FileError, also if the tar has changed.
  void read_in_parts(const std::filesystem::path& file,
                     const std::function<bool(std::span<const std::byte> part)>& take,
                     std::size_t part_bytes = std::size_t{1} << 20) const;

 private:
  struct Place {
    std::uint64_t bytes, offset;
  };
  /// The hash of a member's name, if this is its path.
  std::optional<std::uint64_t> find(const std::filesystem::path& file) const;

  std::filesystem::path tar_;
  std::string root_;  // its absolute, normal path, with '/' at the end
  FileState state_;
  // By the hashes of names. What has no offset has its content.
  std::unordered_map<std::uint64_t, Place> places_;
  std::unordered_map<std::uint64_t, Bytes> contents_;
};

// Decompresses gzip, and compares the checksum and the length, which libarchive does not
// do.

/// One gzip stream, or several after each other, as pigz and bgzip write them.
class GzipReader {
 public:
  explicit GzipReader(TarReader::ReadSome read) : read_(std::move(read)) {}
  GzipReader(const GzipReader&) = delete;
  GzipReader& operator=(const GzipReader&) = delete;

  /// None at the end. Throws TarError if the stream is damaged or cut.
  std::size_t read_some(std::span<std::byte> memory);

 private:
  bool begin_stream();
  bool fill();

  TarReader::ReadSome read_;
  Bytes buffer_ = Bytes(std::size_t{1} << 16);
  std::span<const std::byte> packed_;  // the part of it that is not decompressed yet
  InflateStream stream_{InflateStream::Form::gzip};
  bool is_in_stream_ = false;
};

// How many bytes of JPEGs a tar may have, before it is read.

/// The size of the file, as it is or compressed, if there is a JPEG among its first members; 0 if
/// there is none, or if they cannot be read. The largest number for a pipe: it cannot be looked at.
std::uint64_t jpeg_bytes_at_most(const std::filesystem::path& tar);

}  // namespace qturn
