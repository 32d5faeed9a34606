// JPEG XL's row of the table, and the boxes of its container.
//
// A file may hold what is needed to make a JPEG again of which it was made (jbrd), with the Exif
// and XMP of the container. That JPEG has the pixels as they are stored. So there Exif states how
// the picture is turned, and the JPEG shows it turned as well. Elsewhere it says 1.
#include <algorithm>
#include <memory>
#include <optional>

#include "src/formats/isobmff/boxes.hpp"
#include "src/formats/isobmff/container_turn.hpp"
#include "src/formats/isobmff/ignored_metadata.hpp"
#include "src/formats/jxl/codec.hpp"
#include "src/formats/jxl/codestream.hpp"
#include "src/picture/endian.hpp"
#include "src/picture/file_limits.hpp"

namespace qturn {
namespace {

constexpr std::string_view container_signature{"\0\0\0\x0cJXL \r\n\x87\n", 12};
constexpr std::uint64_t part_number_bytes = 4, last_part = 1U << 31;

struct JxlFile {
  JxlFile(std::span<const std::byte> source, const Limits& limits) : file(source) {
    if (text_of(file).starts_with(container_signature)) {
      read_boxes(limits);
    } else {
      codestream = {.type = {}, .begin = 0, .content = 0, .end = file.size()};
    }
    header = read_jxl_header(file.subspan(codestream.content, codestream.end - codestream.content));
  }

  std::span<const std::byte> file;
  Box codestream;  ///< or its first part, without a type where there is no container
  std::vector<Box> exif, xmp;
  bool has_compressed_metadata = false;
  bool has_frame_index = false;  ///< which knows how long the header is
  bool has_jpeg = false;         ///< one can be made of it again
  bool has_manifest = false;
  JxlHeader header;

  /// What Exif and XMP are to say of a picture that is turned so.
  Orientation wanted(Orientation shown) const { return has_jpeg ? shown : Orientation::identity; }

  std::span<const std::byte> content(const Box& box) const {
    return file.subspan(box.content, box.end - box.content);
  }

  std::vector<IgnoredOrientation> ignored() const {
    std::vector<IgnoredOrientation> all;
    for (const Box& box : exif) {
      if (const auto says = exif_item_says(content(box))) all.push_back({"Exif", *says});
    }
    for (const Box& box : xmp) {
      if (const auto says = xmp_item_says(content(box))) all.push_back({"XMP", *says});
    }
    return all;
  }

 private:
  void read_boxes(const Limits& limits) {
    MetadataCount counted;
    std::optional<Box> first;
    bool is_whole = false;
    for_each_box(file, 0, file.size(), [&](const Box& box) {
      if (box.type == "jxlc" || box.type == "jxlp") {
        Box part = box;
        is_whole = true;
        if (box.type == "jxlp") {
          is_whole = (BoxReader(file, box).number(part_number_bytes) & last_part) != 0;
          part.content += part_number_bytes;
        }
        if (!first) first = part;
        return;
      }
      counted.add(box.end - box.begin);
      counted.check(limits);
      if (box.type == "Exif") exif.push_back(box);
      if (box.type == "xml ") xmp.push_back(box);
      if (box.type == "brob") {
        const std::string_view type = BoxReader(file, box).characters(4);
        has_compressed_metadata |= type == "Exif" || type == "xml ";
        has_manifest |= type == "jumb";
      }
      has_frame_index |= box.type == "jxli";
      has_jpeg |= box.type == "jbrd";
      has_manifest |= box.type == "jumb" || is_manifest(file, box);
    });
    if (!first || !is_whole) throw ImageFileError("truncated: its codestream is not complete");
    codestream = *first;
  }
};

// The box of the codestream grows with it.
void grow_box(Bytes& file, const Box& box, std::size_t grown) {
  if (box.type.empty()) return;
  const std::uint64_t size = big_endian(file, box.begin, 4);
  if (size == 1) {
    put_big_endian(file, box.begin + 8, 8, big_endian(file, box.begin + 8, 8) + grown);
  } else if (size != 0) {
    if ((size + grown) >> 32 != 0) throw ImageFileError("its codestream is too large for its box");
    put_big_endian(file, box.begin, 4, size + grown);
  }
}

Bytes turned_jxl(const JxlFile& jxl, Orientation orientation, std::vector<std::string>& warnings) {
  const bool is_turned = orientation != Orientation::identity;
  const Orientation shown = compose(jxl.header.orientation, orientation);
  const JxlHead head = with_orientation(jxl.content(jxl.codestream), jxl.header, shown);
  const std::size_t grown = head.bytes.size() - head.replaced;
  if (grown > 0 && jxl.has_frame_index) {
    throw ImageFileError(
        "its header has no room for an orientation, and a frame index needs it as it is");
  }
  Bytes file;
  file.reserve(jxl.file.size() + grown);
  file.assign(jxl.file.begin(), jxl.file.end());
  const auto edit = [&](const Box& box) {
    return std::span(file).subspan(box.content, box.end - box.content);
  };
  bool is_stated = false;
  for (const Box& box : jxl.exif) {
    set_exif_item(edit(box), jxl.wanted(shown), is_turned, warnings);
    is_stated |= exif_item_says(edit(box)).has_value();
  }
  for (const Box& box : jxl.xmp) set_xmp_item(edit(box), jxl.wanted(shown), is_turned, warnings);
  if (jxl.has_compressed_metadata) {
    warnings.emplace_back("its Exif or XMP is compressed and stays as it was");
  }
  if (is_turned && jxl.has_jpeg && !is_stated) {
    warnings.emplace_back(
        "the JPEG that can be made of it again is not turned, for want of an "
        "orientation in its Exif");
  }
  if (is_turned && jxl.has_manifest) warnings.emplace_back(manifest_no_longer_holds);

  const auto at = file.begin() + static_cast<std::ptrdiff_t>(jxl.codestream.content);
  const auto replaced = static_cast<std::ptrdiff_t>(head.replaced);
  std::copy_n(head.bytes.begin(), replaced, at);
  file.insert(at + replaced, head.bytes.begin() + replaced, head.bytes.end());
  grow_box(file, jxl.codestream, grown);
  return file;
}

Header header_of(const JxlFile& jxl) {
  const Size size = turned_size(jxl.header.orientation, jxl.header.size);
  Header header;
  header.width = size.width;
  header.height = size.height;
  header.pixels_total =
      static_cast<std::uint64_t>(size.width) * static_cast<std::uint64_t>(size.height);
  header.has_ignored_tag = std::ranges::any_of(jxl.ignored(), [&](const auto& each) {
    return each.says != jxl.wanted(jxl.header.orientation);
  });
  return header;
}

}  // namespace

const Codec jxl_codec = {
    .name = "jxl",
    .suffixes = {".jxl"},
    .recognises =
        [](std::span<const std::byte> head, std::string_view) {
          return text_of(head).starts_with(jxl_signature) ||
                 text_of(head).starts_with(container_signature);
        },
    .check_limits = [](std::span<const std::byte> file,
                       const Limits& limits) { JxlFile(file, limits); },
    .read_header =
        [](std::span<const std::byte> file) { return header_of(JxlFile(file, unlimited)); },
    .decode = nullptr,
    .encode = nullptr,
    .finish = nullptr,
    .turn_compressed = [](std::span<const std::byte> file, const JpegOptions&,
                          const Limits& limits) -> std::unique_ptr<CompressedTurn> {
      constexpr std::uint64_t metadata = 1 << 20;
      const JxlFile jxl(file, limits);
      return std::make_unique<ContainerTurn<JxlFile>>(jxl, header_of(jxl),
                                                      2 * file.size() + metadata, turned_jxl);
    },
    .check =
        [](std::span<const std::byte> file, MetadataCheck& check) {
          const JxlFile jxl(file, unlimited);
          check_ignored(jxl.ignored(), jxl.header.orientation, check);
        },
};

}  // namespace qturn
