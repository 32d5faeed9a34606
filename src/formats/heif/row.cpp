// The rows of HEIC and AVIF.
#include <algorithm>
#include <memory>
#include <utility>

#include "src/formats/container/container_turn.hpp"
#include "src/formats/heif/codec.hpp"
#include "src/formats/heif/heif.hpp"
#include "src/picture/file_limits.hpp"

namespace qturn::heif {
namespace {

// The brands at the start of a file: the major one, a version, and those that it is compatible
// with.
bool has_brand(std::span<const std::byte> head, std::initializer_list<std::string_view> wanted) {
  const std::string_view text = text_of(head);
  constexpr std::size_t version_at = 12;
  if (text.size() < version_at || text.substr(4, 4) != "ftyp") return false;
  for (std::size_t at = 8; at + 4 <= text.size(); at += 4) {
    if (at != version_at && std::ranges::count(wanted, text.substr(at, 4)) > 0) return true;
  }
  return false;
}

bool is_avif(std::span<const std::byte> head, std::string_view) {
  return has_brand(head, {"avif", "avis"});
}

bool is_heic(std::span<const std::byte> head, std::string_view) {
  return !has_brand(head, {"avif", "avis"}) &&
         has_brand(head, {"heic", "heix", "heim", "heis", "hevc", "hevx", "mif1", "mif2", "msf1"});
}

Header header_of(const HeifFile& heif) {
  const Size size = shown_size(heif, heif.item(heif.primary));
  Header header;
  header.width = size.width;
  header.height = size.height;
  header.pixels_total =
      static_cast<std::uint64_t>(size.width) * static_cast<std::uint64_t>(size.height);
  if (std::string doubt = doubt_of_orientation(heif); !doubt.empty()) {
    header.faults.push_back(std::move(doubt));
    return header;
  }
  header.has_ignored_tag = std::ranges::any_of(ignored_orientations(heif), [](const auto& each) {
    return each.says != Orientation::identity;
  });
  return header;
}

void check(std::span<const std::byte> file, MetadataCheck& check) {
  const HeifFile heif(file, unlimited);
  check_ignored(ignored_orientations(heif), shown_orientation(heif, heif.item(heif.primary)),
                check);
}

Header read_header(std::span<const std::byte> file) { return header_of(HeifFile(file, unlimited)); }

void check_limits(std::span<const std::byte> file, const Limits& limits) { HeifFile(file, limits); }

std::unique_ptr<CompressedTurn> turn_compressed(std::span<const std::byte> file, const JpegOptions&,
                                                const Limits& limits) {
  // The result, and its metadata box.
  constexpr std::uint64_t tables = 1 << 20;
  HeifFile heif(file, limits);
  const std::uint64_t needed = 2 * file.size() + 16 * (heif.meta.end - heif.meta.begin) + tables;
  Header header = header_of(heif);
  std::string doubt = doubt_of_orientation(heif);
  return std::make_unique<ContainerTurn<HeifFile>>(std::move(heif), std::move(header), needed,
                                                   turned_heif, std::move(doubt));
}

}  // namespace

const Codec heic_codec = {
    .name = "heic",
    .alias = "heif",
    .suffixes = {".heic", ".heif", ".hif"},
    .recognises = is_heic,
    .check_limits = check_limits,
    .read_header = read_header,
    .decode = nullptr,
    .encode = nullptr,
    .finish = nullptr,
    .turn_compressed = turn_compressed,
    .check = check,
};

const Codec avif_codec = {
    .name = "avif",
    .suffixes = {".avif"},
    .recognises = is_avif,
    .check_limits = check_limits,
    .read_header = read_header,
    .decode = nullptr,
    .encode = nullptr,
    .finish = nullptr,
    .turn_compressed = turn_compressed,
    .check = check,
};

}  // namespace qturn::heif
