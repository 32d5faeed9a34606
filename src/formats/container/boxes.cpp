#include "src/formats/container/boxes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "src/picture/bytes.hpp"
#include "src/picture/errors.hpp"

namespace qturn {
namespace {

constexpr std::uint64_t short_header = 8, long_header = 16;

// A size of 1 stands for one of 64 bits after the type. 0 reaches to the end, but of the file only:
// within another box it is damage.
Box box_at(std::span<const std::byte> file, std::uint64_t at, std::uint64_t end, bool is_inside) {
  if (end - at < short_header) throw ImageFileError("truncated: it ends within a box");
  std::uint64_t size = big_endian(file, at, 4), header = short_header;
  if (size == 1) {
    header = long_header;
    if (end - at < header) throw ImageFileError("truncated: it ends within a box");
    size = big_endian(file, at + short_header, 8);
  } else if (size == 0 && !is_inside) {
    size = end - at;
  }
  const std::string_view type = text_of(file.subspan(at + 4, 4));
  if (size < header) throw ImageFileError("damaged: a box is smaller than its header");
  if (size > end - at) {
    throw ImageFileError(
        fmt::format("truncated: a box needs {} bytes, and {} are left", size, end - at));
  }
  return {type, at, at + header, at + size};
}

}  // namespace

void for_each_box(std::span<const std::byte> file, std::uint64_t begin, std::uint64_t end,
                  const std::function<void(const Box&)>& visit) {
  const bool is_inside = begin > 0;
  while (begin < end) {
    const Box box = box_at(file, begin, end, is_inside);
    visit(box);
    begin = box.end;
  }
}

std::optional<Box> find_box(std::span<const std::byte> file, std::uint64_t begin, std::uint64_t end,
                            std::string_view type) {
  std::optional<Box> found;
  for_each_box(file, begin, end, [&](const Box& box) {
    if (!found && box.type == type) found = box;
  });
  return found;
}

bool is_manifest(std::span<const std::byte> file, const Box& box) {
  using std::string_view_literals::operator""sv;
  constexpr auto c2pa = "\xd8\xfe\xc3\xd6\x1b\x0e\x48\x3c\x92\x97\x58\x28\x87\x7e\xc4\x81"sv;
  return box.type == "uuid" &&
         text_of(file.subspan(box.content, box.end - box.content)).starts_with(c2pa);
}

void BoxReader::require(std::uint64_t bytes) const {
  if (bytes > end_ - at_) {
    throw ImageFileError(fmt::format("damaged: its '{}' box is too short", type_));
  }
}

std::uint64_t BoxReader::number(std::size_t bytes) {
  require(bytes);
  at_ += bytes;
  return big_endian(file_, at_ - bytes, bytes);
}

std::string_view BoxReader::characters(std::size_t count) {
  require(count);
  at_ += count;
  return text_of(file_.subspan(at_ - count, count));
}

std::string_view BoxReader::text() {
  const std::string_view rest = text_of(file_.subspan(at_, end_ - at_));
  const std::string_view found = rest.substr(0, rest.find('\0'));
  at_ += std::min(found.size() + 1, rest.size());
  return found;
}

BoxReader::Version BoxReader::version() {
  const std::uint64_t word = number(4);
  return {static_cast<unsigned>(word >> 24), static_cast<unsigned>(word & 0xFFFFFF)};
}

void append_number(Bytes& to, std::uint64_t value, std::size_t bytes) {
  to.resize(to.size() + bytes);
  put_big_endian(to, to.size() - bytes, bytes, value);
}

std::size_t begin_box(Bytes& to, std::string_view type) {
  const std::size_t begun = to.size();
  append_number(to, 0, 4);
  const auto name = bytes_of(type);
  to.insert(to.end(), name.begin(), name.end());
  return begun;
}

void end_box(Bytes& to, std::size_t begun) {
  const std::size_t size = to.size() - begun;
  if (size > std::numeric_limits<std::uint32_t>::max()) {
    throw ImageFileError("its metadata box would be larger than 4 GiB");
  }
  put_big_endian(to, begun, 4, size);
}

}  // namespace qturn
