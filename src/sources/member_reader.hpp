// The files of samples, one after the other: of a tar, or of folders.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

#include "src/files/tar/input.hpp"
#include "src/files/tar/tar.hpp"
#include "src/inputs/find_files.hpp"
#include "src/picture/bytes.hpp"
#include "src/sample/companion.hpp"

namespace qturn {

struct Member {
  std::string name;          ///< relative, without "." and ".."; as it is in the tar if refused
  std::uint64_t bytes = 0;   ///< as its header says, which may be anything
  std::string refusal = {};  ///< why it is not taken; or empty
  std::filesystem::path path = {};  ///< of a file; empty: it lies in a tar
  bool is_known = false;            ///< the folder has told: it is `companion`, or the picture
  std::optional<Companion> companion = {};
  std::optional<std::uint64_t> offset = {};  ///< as TarMember::offset

  /// Whether --hidden alone takes it, for its name or a folder's.
  bool is_hidden() const {
    const std::filesystem::path parts = name;
    return std::any_of(parts.begin(), parts.end(), [](const std::filesystem::path& part) {
      return qturn::is_hidden(part.native()) && part != "." && part != "..";
    });
  }
};

/// Why one member cannot be read. Others can follow.
class MemberError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class MemberReader {
 public:
  virtual ~MemberReader() = default;
  /// Returns the next member; nothing after the last. The members of a sample follow each other.
  virtual std::optional<Member> next() = 0;
  /// The content of the member that next() returned, in `memory` if it fits there. Throws
  /// MemberError.
  virtual Bytes content(Bytes memory) = 0;
  /// After the last member: whether something follows it that is not read.
  virtual bool has_more() const { return false; }
};

// The members of a tar as the files of samples.

class TarMembers : public MemberReader {
 public:
  /// `input` must outlive it. Throws TarError if it is not a tar, as next() and content() do.
  explicit TarMembers(TarInput& input)
      : reader_([&input](std::span<std::byte> memory) { return input.read_some(memory); }) {}

  std::optional<Member> next() override {
    std::optional<TarMember> member = reader_.next();
    if (!member) return std::nullopt;
    return Member{.name = std::move(member->name),
                  .bytes = member->bytes,
                  .refusal = std::move(member->refusal),
                  .offset = member->offset};
  }
  Bytes content(Bytes memory) override { return reader_.content(std::move(memory)); }
  bool has_more() const override { return reader_.has_more(); }

 private:
  TarReader reader_;
};

}  // namespace qturn
