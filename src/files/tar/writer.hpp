// A tar that depends on the names and contents of its members alone: no times, no owners.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <span>
#include <string>

#include "src/picture/bytes.hpp"

struct archive;
struct archive_entry;

namespace qturn {

struct NewMember {
  std::string name;
  Bytes content;
};

/// The bytes that it takes in a tar.
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
