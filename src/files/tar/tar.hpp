// A tar as a container. Its members are read one after the other, as they come through a pipe. The
// content tells whether it is ustar, pax or GNU, and whether gzip or zstd has compressed it.
// Nothing is unpacked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>

#include "src/picture/bytes.hpp"

namespace qturn {

/// Why a tar cannot be read on. what() is about the tar: "is cut after 812 bytes".
class TarError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Whether a file begins as a tar, or as something compressed that may hold one. `head`: its first
/// tar_head_bytes, or all of a shorter file.
bool may_be_tar(std::span<const std::byte> head);
/// Whether a file may be a tar without members, which begins with zeros, as damaged files of any
/// kind may.
bool may_be_empty_tar(std::span<const std::byte> head);
/// Whether a tar is compressed. The name of its first member may begin like a compressed file.
bool is_compressed_tar(std::span<const std::byte> head);
inline constexpr std::size_t tar_head_bytes = 512;

struct TarMember {
  std::string name;         ///< without "." and ".."; as it is in the tar if it is refused
  std::uint64_t bytes = 0;  ///< as its header says, which may be anything
  std::string refusal;      ///< why it is not taken; or empty
  /// Where its content begins in the file. Nothing if it does not lie there as it is, because it is
  /// compressed or has holes.
  std::optional<std::uint64_t> offset = {};
};

class TarReader {
 public:
  /// Reads some bytes of the file, none at its end. What it throws comes out of this class.
  using ReadSome = std::function<std::size_t(std::span<std::byte> memory)>;
  /// Passes over bytes of the file, at most so many. Returns how many.
  using Skip = std::function<std::uint64_t(std::uint64_t bytes)>;

  /// `skip`: for a caller that reads few contents; empty: all bytes are read. If the file is
  /// compressed, it is not used.
  explicit TarReader(ReadSome read, Skip skip = {});
  ~TarReader();

  /// The next member that is not a folder; nothing after the last, when all has been read. Throws
  /// TarError if the file is not a tar, is damaged, or ends too early.
  std::optional<TarMember> next();
  /// The content of the member, in `memory`. If that is too small, more is taken as bytes come, not
  /// as the header promises, unless the member is one hole. Throws as next() does.
  Bytes content(Bytes memory = {});
  /// Whether there is more than padding after the end, such as another tar. Is called after the
  /// last member.
  bool has_more() const { return has_more_; }

 private:
  class Archive;
  std::unique_ptr<Archive> packed_, tar_;  // packed_: null unless it is zstd's
  std::uint64_t member_bytes_ = 0;
  bool is_compressed_ = false, has_holes_ = false, has_more_ = false;
};

}  // namespace qturn

// A tar that depends on the names and contents of its members alone: no times, no owners.

struct archive;
struct archive_entry;

namespace qturn {

struct NewMember {
  std::string name;
  Bytes content;
};

/// The bytes that a member takes in a tar.
std::uint64_t bytes_in_tar(const NewMember& member);

/// Writes a tar in GNU's form, where a name is its bytes, whatever the locale is.
class TarWriter {
 public:
  /// Takes the bytes of the tar, part by part. What it throws comes out of this class.
  using Append = std::function<void(std::span<const std::byte> part)>;

  explicit TarWriter(Append append);
  ~TarWriter();
  TarWriter(const TarWriter&) = delete;
  TarWriter& operator=(const TarWriter&) = delete;

  void add(const NewMember& member);
  /// Ends the tar. Without that it has no end, which not every reader notices.
  void finish();

 private:
  void check(int status) const;

  Append append_;
  archive* archive_;
  archive_entry* entry_;
  bool is_finished_ = false, is_given_up_ = false;
  std::exception_ptr error_;
};

}  // namespace qturn
