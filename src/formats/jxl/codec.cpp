// JPEG XL, as a bare codestream or in a container. Its pixels are never decoded: a turn is written
// to the header of the codestream, where every decoder obeys it (codestream.hpp).
//
// JPEG XL's row of the table, and the boxes of its container.
//
// A file may hold what is needed to rebuild the JPEG that it was made from (jbrd), with the Exif
// and XMP of the container. The rebuilt JPEG has the pixels as they are stored. So there Exif
// states how the picture is turned, and the JPEG shows it turned as well. Elsewhere it says 1.
#include <brotli/decode.h>
#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "src/formats/container/boxes.hpp"
#include "src/formats/container/container_turn.hpp"
#include "src/formats/jxl/codestream.hpp"
#include "src/formats/table.hpp"
#include "src/metadata/exif.hpp"
#include "src/metadata/xmp.hpp"
#include "src/picture/bytes.hpp"
#include "src/picture/file_limits.hpp"

namespace qturn::jxl {
namespace {

// Brotli, by its own library, as JPEG XL's containers have boxes compressed.

// What `data` is decompressed to; nothing if it is damaged. If that is more than `most` bytes, it
// ends somewhere after them.
std::optional<Bytes> decompress_brotli(std::span<const std::byte> data, std::uint64_t most) {
  const std::unique_ptr<BrotliDecoderState, decltype(&BrotliDecoderDestroyInstance)> decoder(
      BrotliDecoderCreateInstance(nullptr, nullptr, nullptr), BrotliDecoderDestroyInstance);
  if (!decoder) throw std::bad_alloc();
  std::size_t left = data.size();
  const auto* next = reinterpret_cast<const std::uint8_t*>(data.data());
  Bytes made;
  while (made.size() <= most) {
    std::array<std::uint8_t, 1 << 14> part;
    std::size_t room = part.size();
    std::uint8_t* to = part.data();
    const BrotliDecoderResult result =
        BrotliDecoderDecompressStream(decoder.get(), &left, &next, &room, &to, nullptr);
    const auto bytes = std::as_bytes(std::span(part).first(part.size() - room));
    made.insert(made.end(), bytes.begin(), bytes.end());
    if (result == BROTLI_DECODER_RESULT_SUCCESS) break;
    if (result != BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT) return std::nullopt;
  }
  return made;
}

// "libbrotli 1.0.9".
std::string brotli_library_version() {
  const std::uint32_t version = BrotliDecoderVersion();
  return fmt::format("libbrotli {}.{}.{}", version >> 24, version >> 12 & 0xFFF, version & 0xFFF);
}

constexpr std::string_view container_signature{"\0\0\0\x0cJXL \r\n\x87\n", 12};
constexpr std::string_view exif_type = "Exif", xmp_type = "xml ";
constexpr std::uint64_t part_number_bytes = 4, last_part = 1U << 31;

// A box of Exif or XMP.
struct JxlMetadata {
  Box box;
  bool is_exif = false;
  bool is_compressed = false;
  Bytes unpacked;  ///< if it is compressed
};

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
  std::vector<JxlMetadata> metadata;
  bool has_damaged_metadata = false;  ///< which cannot be decompressed
  bool has_frame_index = false;       ///< which knows how long the header is
  bool has_jpeg = false;              ///< one can be made of it again
  bool has_manifest = false;
  JxlHeader header;

  /// What Exif and XMP are to say about a picture that is turned so.
  Orientation wanted(Orientation shown) const { return has_jpeg ? shown : Orientation::identity; }

  std::span<const std::byte> content(const Box& box) const {
    return file.subspan(box.content, box.end - box.content);
  }
  std::span<const std::byte> content(const JxlMetadata& of) const {
    return of.is_compressed ? std::span<const std::byte>(of.unpacked) : content(of.box);
  }

  std::vector<IgnoredOrientation> ignored() const {
    std::vector<IgnoredOrientation> all;
    for (const JxlMetadata& each : metadata) {
      const auto says =
          each.is_exif ? exif_item_says(content(each)) : orientation_of_xmp(text_of(content(each)));
      if (says) all.push_back({each.is_exif ? "Exif" : "XMP", *says});
    }
    return all;
  }

  std::uint64_t unpacked_bytes() const {
    std::uint64_t bytes = 0;
    for (const JxlMetadata& each : metadata) bytes += each.unpacked.size();
    return bytes;
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
      if (box.type == "ftyp" && BoxReader(file, box).characters(4) != "jxl ") {
        throw ImageFileError("damaged: it is a JPEG XL container that says that it is not one");
      }
      counted.add(box.end - box.begin);
      counted.check(limits);
      if (is_metadata(box.type)) {
        metadata.push_back({.box = box, .is_exif = box.type == exif_type, .unpacked = {}});
      }
      if (box.type == "brob") read_compressed(box, limits, counted);
      has_frame_index |= box.type == "jxli";
      has_jpeg |= box.type == "jbrd";
      has_manifest |= box.type == "jumb" || is_manifest(file, box);
    });
    if (!first || !is_whole) throw ImageFileError("truncated: its codestream is not complete");
    codestream = *first;
  }

  void read_compressed(const Box& box, const Limits& limits, MetadataCount& counted) {
    const std::string_view type = BoxReader(file, box).characters(4);
    has_manifest |= type == "jumb";
    if (!is_metadata(type)) return;
    auto unpacked =
        decompress_brotli(content(box).subspan(4), limits.metadata_bytes - counted.bytes);
    if (!unpacked) {
      has_damaged_metadata = true;
      return;
    }
    counted.bytes += unpacked->size();
    counted.check(limits);
    metadata.push_back({.box = box,
                        .is_exif = type == exif_type,
                        .is_compressed = true,
                        .unpacked = std::move(*unpacked)});
  }

  static bool is_metadata(std::string_view type) { return type == exif_type || type == xmp_type; }
};

// Bytes that replace the bytes from `begin` to `end`.
struct Splice {
  std::uint64_t begin = 0, end = 0;
  Bytes bytes;
};

Bytes spliced(std::span<const std::byte> file, std::vector<Splice> splices) {
  std::ranges::sort(splices, {}, &Splice::begin);
  std::size_t grown = 0;
  for (const Splice& each : splices) grown += each.bytes.size();
  Bytes made;
  made.reserve(file.size() + grown);
  std::uint64_t at = 0;
  const auto append = [&](std::span<const std::byte> bytes) {
    made.insert(made.end(), bytes.begin(), bytes.end());
  };
  for (const Splice& each : splices) {
    append(file.subspan(at, each.begin - at));
    append(each.bytes);
    at = each.end;
  }
  append(file.subspan(at));
  return made;
}

// The box of the codestream grows with it. `header` is the box's; empty: there is no box.
void grow_box(Bytes& header, std::size_t grown) {
  if (header.empty()) return;
  const std::uint64_t size = big_endian(header, 0, 4);
  if (size == 1) {
    put_big_endian(header, 8, 8, big_endian(header, 8, 8) + grown);
  } else if (size != 0) {
    if ((size + grown) >> 32 != 0) throw ImageFileError("its codestream is too large for its box");
    put_big_endian(header, 0, 4, size + grown);
  }
}

// From the beginning of the box on.
Splice turned_head(const JxlFile& jxl, Orientation shown) {
  const JxlHead head = with_orientation(jxl.content(jxl.codestream), jxl.header, shown);
  const std::size_t grown = head.bytes.size() - head.replaced;
  if (grown > 0 && jxl.has_frame_index) {
    throw ImageFileError(
        "its header has no room for an orientation, and a frame index needs it as it is");
  }
  const Box& box = jxl.codestream;
  const auto header = jxl.file.subspan(box.begin, box.content - box.begin);
  Splice splice{box.begin, box.content + head.replaced, {header.begin(), header.end()}};
  grow_box(splice.bytes, grown);
  splice.bytes.insert(splice.bytes.end(), head.bytes.begin(), head.bytes.end());
  return splice;
}

// Compressed metadata that change are written plain.
Splice replaced(const JxlMetadata& metadata, Bytes content) {
  const Box& box = metadata.box;
  if (!metadata.is_compressed) return {box.content, box.end, std::move(content)};
  Splice splice{box.begin, box.end, {}};
  const std::size_t begun = begin_box(splice.bytes, metadata.is_exif ? exif_type : xmp_type);
  splice.bytes.insert(splice.bytes.end(), content.begin(), content.end());
  end_box(splice.bytes, begun);
  return splice;
}

Bytes turned_jxl(const JxlFile& jxl, Orientation orientation, std::vector<std::string>& warnings) {
  const bool is_turned = orientation != Orientation::identity;
  const Orientation shown = compose(jxl.header.orientation, orientation);
  std::vector<Splice> splices = {turned_head(jxl, shown)};
  bool is_stated = false;
  for (const JxlMetadata& each : jxl.metadata) {
    const auto stored = jxl.content(each);
    Bytes content(stored.begin(), stored.end());
    if (each.is_exif) {
      set_exif_item(content, jxl.wanted(shown), is_turned, warnings);
      is_stated |= exif_item_says(content).has_value();
    } else {
      set_xmp_item(content, jxl.wanted(shown), is_turned, warnings);
    }
    if (!std::ranges::equal(content, stored)) splices.push_back(replaced(each, std::move(content)));
  }
  if (jxl.has_damaged_metadata) {
    warnings.emplace_back("its compressed Exif or XMP is damaged and stays as it was");
  }
  if (is_turned && jxl.has_jpeg && !is_stated) {
    warnings.emplace_back(
        "the JPEG that can be made of it again is not turned, for want of an "
        "orientation in its Exif");
  }
  return spliced(jxl.file, std::move(splices));
}

// The codestream is compared with a head that states an orientation in both files.
std::vector<FilePart> parts(std::span<const std::byte> file, Orientation applied) {
  const JxlFile jxl(file, unlimited);
  const Orientation shown = compose(jxl.header.orientation, applied);
  std::vector<FilePart> parts = {
      said_part("the orientation", std::to_string(static_cast<int>(shown)))};
  const auto stream = jxl.content(jxl.codestream);
  JxlHead head = with_orientation(stream, jxl.header, Orientation::rotate90);
  const auto rest = stream.subspan(head.replaced);
  head.bytes.insert(head.bytes.end(), rest.begin(), rest.end());
  parts.push_back(FilePart::of_copy(FilePart::fixed, "the codestream", head.bytes));
  for (const JxlMetadata& each : jxl.metadata)
    parts.emplace_back(FilePart::other, each.is_exif ? "the Exif" : "the XMP",
                       std::span<const std::byte>());
  if (jxl.codestream.type.empty()) return parts;
  for_each_box(file, 0, file.size(), [&](const Box& box) {
    const bool is_listed = box.begin == jxl.codestream.begin ||
                           std::ranges::any_of(jxl.metadata, [&](const JxlMetadata& each) {
                             return each.box.begin == box.begin;
                           });
    if (!is_listed)
      parts.emplace_back(FilePart::fixed, "the box " + std::string(box.type), jxl.content(box));
  });
  return parts;
}

Header header_of(const JxlFile& jxl) {
  const Size size = turned_size(jxl.header.orientation, jxl.header.size);
  Header header = header_of_size(size);
  header.has_ignored_tag = std::ranges::any_of(jxl.ignored(), [&](const auto& each) {
    return each.says != jxl.wanted(jxl.header.orientation);
  });
  for (const JxlMetadata& each : jxl.metadata)
    each.is_exif ? look_at_exif(exif_item_body(jxl.content(each)), header)
                 : add_placed_in_xmp(text_of(jxl.content(each)), header);
  if (jxl.has_manifest) add_placed(signed_manifest(), header);
  if (jxl.codestream.type.empty()) return header;
  for_each_box(jxl.file, 0, jxl.file.size(), [&](const Box& box) {
    BoxReader reader(jxl.file, box);
    const std::string_view type = box.type == "brob" ? reader.characters(4) : box.type;
    look_at_box(BoxesOf::jxl, type, jxl.file.subspan(reader.at(), box.end - reader.at()), header);
  });
  return header;
}

}  // namespace

const Codec codec = {
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
    .turn_compressed = [](std::span<const std::byte> file, const JpegOptions&,
                          const Limits& limits) -> std::unique_ptr<CompressedTurn> {
      constexpr std::uint64_t metadata = 1 << 20;
      const JxlFile jxl(file, limits);
      return std::make_unique<ContainerTurn<JxlFile>>(
          jxl, header_of(jxl), 2 * file.size() + 4 * jxl.unpacked_bytes() + metadata, turned_jxl);
    },
    .check =
        [](std::span<const std::byte> file, MetadataCheck& check) {
          const JxlFile jxl(file, unlimited);
          check_ignored(jxl.ignored(), jxl.header.orientation, check);
          if (jxl.has_damaged_metadata) check.add("its compressed Exif or XMP is damaged");
        },
    .parts = parts,
    .library_version = brotli_library_version,
};

}  // namespace qturn::jxl
