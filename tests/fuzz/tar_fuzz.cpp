// Random tars, as they are or compressed: each is read or refused by name, in the same way however
// few bytes come at a time. What is read comes out of a tar of ours as it was.
#include <algorithm>

#include "src/files/tar/tar.hpp"
#include "tests/fixtures/tar_files.hpp"
#include "tests/fuzz/target.hpp"

namespace qturn::fuzz {
namespace {

struct Reading {
  std::vector<NewMember> members;
  std::string refusals, error;
};

// Before an error that a compressed tar has, one may have come further than the other. Which bytes
// libarchive waits for, its error names.
bool are_same(const Reading& a, const Reading& b) {
  const auto members =
      std::ranges::mismatch(a.members, b.members, [](const NewMember& one, const NewMember& other) {
        return one.name == other.name && one.content == other.content;
      });
  const auto refusals = std::ranges::mismatch(a.refusals, b.refusals);
  const bool has_a_ended = members.in1 == a.members.end() && refusals.in1 == a.refusals.end();
  const bool has_b_ended = members.in2 == b.members.end() && refusals.in2 == b.refusals.end();
  if (a.error.empty() != b.error.empty()) return false;
  return a.error.empty() ? has_a_ended && has_b_ended : has_a_ended || has_b_ended;
}

Reading read(std::string_view tar, std::size_t at_a_time) {
  constexpr std::uint64_t largest_member = 1 << 20;
  Reading reading;
  try {
    TarReader reader([&](std::span<std::byte> memory) {
      const std::size_t count = std::min({memory.size(), tar.size(), at_a_time});
      std::ranges::copy(bytes_of(tar.substr(0, count)), memory.begin());
      tar.remove_prefix(count);
      return count;
    });
    while (auto member = reader.next()) {
      reading.refusals += member->refusal;
      if (!member->refusal.empty() || member->bytes > largest_member) continue;
      reading.members.push_back({member->name, reader.content()});
      require(reading.members.back().content.size() == member->bytes);
    }
  } catch (const TarError& error) {
    reading.error = error.what();
  }
  return reading;
}

}  // namespace

void fuzz_tar(Input input) {
  Reading reading = read(text_of(input), input.size());
  const Reading slow = read(text_of(input), 7);
  require(are_same(slow, reading),
          ("7 bytes at a time: " + slow.error + "; all: " + reading.error).c_str());
  std::string made;
  TarWriter writer([&](std::span<const std::byte> part) { made += text_of(part); });
  for (const NewMember& member : reading.members) writer.add(member);
  writer.finish();
  reading.refusals = reading.error = {};
  require(are_same(read(made, made.size()), reading), "a tar of ours reads as something else");
}

}  // namespace qturn::fuzz
