// The members of a tar, which are the files of samples.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <utility>

#include "src/files/tar/input.hpp"
#include "src/files/tar/reader.hpp"
#include "src/sources/member_reader.hpp"

namespace qturn {

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
                  .refusal = std::move(member->refusal)};
  }
  Bytes content(Bytes memory) override { return reader_.content(std::move(memory)); }
  bool has_more() const override { return reader_.has_more(); }

 private:
  TarReader reader_;
};

}  // namespace qturn
