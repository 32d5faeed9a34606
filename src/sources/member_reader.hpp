// The files of samples, one after the other: of a tar, or of folders.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>

#include "src/picture/bytes.hpp"
#include "src/sample/companion.hpp"

namespace qturn {

struct Member {
  std::string name;          ///< relative, without "." and ".."; as it is written there if refused
  std::uint64_t bytes = 0;   ///< as its header says, which may be anything
  std::string refusal = {};  ///< why it is not taken; or empty
  std::filesystem::path path = {};  ///< of a file; empty: it lies in a tar
  std::optional<MemberRole> role = {};
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
  /// Whether something follows the last member that is not read. Is called after the last.
  virtual bool has_more() const { return false; }
};

}  // namespace qturn
