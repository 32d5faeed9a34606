#include "src/formats/oiio/jp2.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string_view>

#include "src/formats/container/boxes.hpp"
#include "src/formats/oiio/module.hpp"
#include "src/metadata/exif.hpp"
#include "src/metadata/exif_turn.hpp"
#include "src/metadata/xmp.hpp"
#include "src/picture/bytes.hpp"
#include "src/picture/errors.hpp"

namespace qturn::oiio {
namespace {

using std::string_view_literals::operator""sv;

constexpr auto exif_uuid = "JpgTiffExif->JP2"sv;
constexpr auto xmp_uuid = "\xbe\x7a\xcf\xcb\x97\xa9\x42\xe8\x9c\x71\x99\x94\x91\xe3\xaf\xac"sv;
constexpr auto geo_uuid = "\xb1\x4b\xf8\xbd\x08\x3d\x4b\x43\xa5\xae\x8c\xd7\xd5\xa6\xce\x03"sv;

std::span<const std::byte> within(std::span<const std::byte> file, const Box& box) {
  return file.subspan(box.content, box.end - box.content);
}

// What follows the name of a box of this name; empty if it has another.
std::span<const std::byte> content_of(std::span<const std::byte> file, const Box& box,
                                      std::string_view uuid) {
  const std::span<const std::byte> content = within(file, box);
  if (box.type != "uuid" || !text_of(content).starts_with(uuid)) return {};
  return content.subspan(uuid.size());
}

std::span<const std::byte> codestream_of(std::span<const std::byte> file) {
  if (!is_jp2(file)) return file;
  const std::optional<Box> box = find_box(file, 0, file.size(), "jp2c");
  if (!box) throw ImageFileError("damaged: a JPEG 2000 file without a picture");
  return within(file, *box);
}

std::optional<Box> header_box(std::span<const std::byte> file, std::string_view type) {
  const auto header = is_jp2(file) ? find_box(file, 0, file.size(), "jp2h") : std::nullopt;
  return header ? find_box(file, header->content, header->end, type) : std::nullopt;
}

// Visits the segments of the codestream's header, marker and all; returns where it ends.
template <typename Visit>
std::size_t for_each_segment(std::span<const std::byte> stream, Visit visit) {
  constexpr std::uint64_t start_of_tile = 0xFF90;
  for (std::size_t at = 2; at + 4 <= stream.size();) {
    const std::uint64_t marker = big_endian(stream, at, 2);
    if (marker == start_of_tile) return at;
    const std::size_t size = 2 + static_cast<std::size_t>(big_endian(stream, at + 2, 2));
    if (size < 4 || size > stream.size() - at) break;
    visit(marker, stream.subspan(at, size));
    at += size;
  }
  throw ImageFileError("truncated within the JPEG 2000 header");
}

constexpr std::uint64_t coding = 0xFF52, coding_of_component = 0xFF53, capabilities = 0xFF50,
                        comment = 0xFF64;

// Whether a component is coded by the wavelet that loses some.
bool is_lossy(std::span<const std::byte> stream) {
  bool lossy = false;
  for_each_segment(stream, [&](std::uint64_t marker, std::span<const std::byte> segment) {
    const std::size_t number = big_endian(stream, 40, 2) < 257 ? 1 : 2;
    const std::size_t at = marker == coding ? 13 : marker == coding_of_component ? 9 + number : 0;
    if (at != 0 && at < segment.size()) lossy |= segment[at] == std::byte{0};
  });
  return lossy;
}

// The number of the colour space; 0: a profile says it, or nothing does.
std::uint64_t colour_space(std::span<const std::byte> file) {
  const std::optional<Box> colour = header_box(file, "colr");
  if (!colour) return 0;
  BoxReader reader(file, *colour);
  const bool is_enumerated = reader.number(1) == 1;
  reader.number(2);
  return is_enumerated ? reader.number(4) : 0;
}

void swap_bytes(std::span<std::byte> bytes, std::size_t a, std::size_t b, std::size_t count) {
  std::swap_ranges(&bytes[a], &bytes[a] + count, &bytes[b]);
}

// The size in the first box of the header, and the resolutions, vertical before horizontal.
void turn_header(std::span<std::byte> file, const Box& header) {
  for_each_box(file, header.content, header.end, [&](const Box& box) {
    if (box.type == "ihdr") swap_bytes(file, box.content, box.content + 4, 4);
    if (box.type != "res ") return;
    for_each_box(file, box.content, box.end, [&](const Box& each) {
      if (each.end - each.content != 10) throw ImageFileError("damaged: its 'res ' box");
      swap_bytes(file, each.content, each.content + 4, 4);
      swap_bytes(file, each.content + 8, each.content + 9, 1);
    });
  });
}

}  // namespace

OIIO::ImageSpec jpeg2000_spec(std::span<const std::byte> file) {
  const std::span<const std::byte> stream = codestream_of(file);
  constexpr std::size_t components_at = 42;
  if (!is_codestream(stream) || stream.size() < components_at) {
    throw ImageFileError("truncated within the JPEG 2000 header");
  }
  const auto number = [&](std::size_t at, std::size_t bytes = 4) {
    return static_cast<std::size_t>(big_endian(stream, at, bytes));
  };
  const std::size_t width = number(8), height = number(12), components = number(40, 2);
  constexpr std::size_t most = 1 << 30;
  if (width == 0 || height == 0 || width > most || height > most) {
    throw ImageFileError("damaged: the size of the JPEG 2000 picture");
  }
  if (number(16) != 0 || number(20) != 0) {
    throw ImageFileError("a JPEG 2000 picture that does not begin at 0, 0 is not supported");
  }
  if (components != 1 && components != 3 && components != 4) {
    throw ImageFileError(
        fmt::format("a JPEG 2000 picture of {} components is not supported", components));
  }
  if (stream.size() < components_at + 3 * components) {
    throw ImageFileError("truncated within the JPEG 2000 header");
  }
  for (std::size_t i = 0; i < components; ++i) {
    // Its bits, and how far its samples are apart.
    const std::size_t at = components_at + 3 * i;
    if (number(at, 3) != (number(components_at, 1) << 16 | 0x0101) || number(at, 1) > 15) {
      throw ImageFileError("JPEG 2000 is supported with 1 to 16 bits, the same in all components");
    }
  }
  for_each_segment(stream, [](std::uint64_t marker, auto) {
    if (marker == capabilities) throw ImageFileError("high-throughput JPEG 2000 is not supported");
  });
  constexpr std::uint64_t ycc = 18;
  if (header_box(file, "pclr")) throw ImageFileError("a JPEG 2000 palette is not supported");
  if (colour_space(file) == ycc) throw ImageFileError("JPEG 2000 in YCC is not supported");
  const std::size_t boxes_end = is_jp2(file) ? file.size() : 0;
  int pictures = 0;
  for_each_box(file, 0, boxes_end, [&](const Box& box) {
    pictures += box.type == "jp2c" ? 1 : 0;
    if (pictures > 1 || box.type == "comp") {
      throw ImageFileError("a JPEG 2000 file of several pictures is not supported");
    }
    const auto says = [](std::optional<Orientation> said) {
      return said.value_or(Orientation::identity) != Orientation::identity;
    };
    if (says(stored_orientation(content_of(file, box, exif_uuid)).value) ||
        says(orientation_of_xmp(text_of(content_of(file, box, xmp_uuid))))) {
      throw ImageFileError("an orientation in the metadata of JPEG 2000 is not supported");
    }
  });
  return {static_cast<int>(width), static_cast<int>(height), static_cast<int>(components),
          number(components_at, 1) < 8 ? OIIO::TypeUInt8 : OIIO::TypeUInt16};
}

void describe_jpeg2000(std::span<const std::byte> file, Header& header) {
  if (is_lossy(codestream_of(file))) {
    header.storage_change = "its lossy compression becomes lossless";
    header.changes_only_if_allowed = true;
  }
  if (!is_jp2(file)) return;
  for_each_box(file, 0, file.size(), [&](const Box& box) {
    if (box.type == "jumb" || is_manifest(file, box)) add_placed(signed_manifest(), header);
    add_placed_in_xmp(text_of(content_of(file, box, xmp_uuid)), header);
    look_at_exif(content_of(file, box, exif_uuid), header);
    if (!content_of(file, box, geo_uuid).empty()) {
      header.placed.push_back({.name = "its map coordinates (GeoJP2)"});
    }
    if (box.type == "asoc" && text_of(within(file, box)).find("gml.data") != std::string::npos) {
      header.placed.push_back({.name = "its map coordinates (GMLJP2)"});
    } else {
      look_at_box(BoxesOf::jp2, box.type, within(file, box), header);
    }
    if (box.type != "jp2h") return;
    for_each_box(file, box.content, box.end, [&](const Box& each) {
      look_at_box(BoxesOf::jp2, each.type, within(file, each), header);
    });
  });
}

Meaning jpeg2000_meaning(std::span<const std::byte> file) {
  constexpr std::uint64_t rgb = 16, grey = 17;
  const std::uint64_t colours = colour_space(file);
  if (colours != 0 && colours != rgb && colours != grey) {
    return {.refusal = fmt::format("JPEG 2000's colour space {} cannot become another", colours)};
  }
  if (big_endian(codestream_of(file), 40, 2) < 4) return {};
  Meaning meaning{.refusal = "the file does not say what its fourth component means"};
  if (const std::optional<Box> definitions = header_box(file, "cdef")) {
    BoxReader reader(file, *definitions);
    for (std::uint64_t left = reader.number(2); left > 0; --left) {
      const std::uint64_t channel = reader.number(2), type = reader.number(2);
      reader.number(2);
      if (channel != 3 || (type != 1 && type != 2)) continue;
      meaning = {.alpha = type == 1 ? Meaning::Alpha::unassociated : Meaning::Alpha::associated,
                 .alpha_channel = 3,
                 .refusal = {}};
    }
  }
  return meaning;
}

Bytes jpeg2000_frame(std::span<const std::byte> file) {
  Bytes frame;
  const auto add_comments = [&](std::span<const std::byte> stream) {
    append(frame, stream.first(2));
    for_each_segment(stream, [&](std::uint64_t marker, std::span<const std::byte> segment) {
      if (marker == comment) append(frame, segment);
    });
    append_number(frame, 0xFF90, 2);
    append_number(frame, 0, 2);
  };
  if (!is_jp2(file)) {
    add_comments(file);
    return frame;
  }
  for_each_box(file, 0, file.size(), [&](const Box& box) {
    if (box.type != "jp2c") return append(frame, file.subspan(box.begin, box.end - box.begin));
    const std::size_t begun = begin_box(frame, "jp2c");
    add_comments(within(file, box));
    end_box(frame, begun);
  });
  return frame;
}

Bytes in_jpeg2000_frame(std::span<const std::byte> written, std::span<const std::byte> frame,
                        Orientation applied) {
  Bytes file;
  file.reserve(written.size() + frame.size());
  const auto add_stream = [&](std::span<const std::byte> comments) {
    append(file, written.first(2));
    const std::size_t end = for_each_segment(written, [&](std::uint64_t marker, auto segment) {
      if (marker != comment) append(file, segment);
    });
    for_each_segment(comments, [&](std::uint64_t, auto segment) { append(file, segment); });
    append(file, written.subspan(end));
  };
  if (!is_jp2(frame)) {
    add_stream(frame);
    return file;
  }
  for_each_box(frame, 0, frame.size(), [&](const Box& box) {
    if (box.type == "jp2c") {
      const std::size_t begun = begin_box(file, "jp2c");
      add_stream(within(frame, box));
      end_box(file, begun);
      return;
    }
    const std::size_t begun = file.size();
    append(file, frame.subspan(box.begin, box.end - box.begin));
    if (box.type != "jp2h" || !swaps_axes(applied)) return;
    turn_header(file, {box.type, begun, begun + box.content - box.begin, file.size()});
  });
  return file;
}

Bytes finish_jpeg2000(Bytes encoded, const MetadataTurn& turn, std::vector<std::string>& warnings) {
  if (!is_jp2(encoded)) return encoded;
  Bytes file;
  file.reserve(encoded.size());
  for_each_box(encoded, 0, encoded.size(), [&](const Box& box) {
    const auto exif = content_of(encoded, box, exif_uuid), xmp = content_of(encoded, box, xmp_uuid);
    if (exif.empty() && xmp.empty()) {
      return append(file, std::span(encoded).subspan(box.begin, box.end - box.begin));
    }
    const std::size_t begun = begin_box(file, "uuid");
    append(file, bytes_of(exif.empty() ? xmp_uuid : exif_uuid));
    if (!exif.empty()) {
      append(file, turn_exif(exif, turn, MissingTag::stays_absent,
                             std::numeric_limits<std::uint32_t>::max(), warnings));
    } else {
      append(file, bytes_of(turn_xmp(text_of(xmp), turn, warnings)));
    }
    end_box(file, begun);
  });
  return file;
}

std::vector<FilePart> jpeg2000_parts(std::span<const std::byte> file, Orientation /*applied*/) {
  std::vector<FilePart> parts;
  const auto add = [&](std::string name, std::span<const std::byte> content) {
    parts.emplace_back(FilePart::fixed, std::move(name), content);
  };
  for_each_segment(codestream_of(file), [&](std::uint64_t marker, auto segment) {
    if (marker == comment) add("a comment", segment);
  });
  if (!is_jp2(file)) return parts;
  const auto visit = [&](const auto& self, const Box& box) -> void {
    const auto exif = content_of(file, box, exif_uuid), xmp = content_of(file, box, xmp_uuid);
    if (box.type == "jp2h") {
      for_each_box(file, box.content, box.end, [&](const Box& each) { self(self, each); });
    } else if (!exif.empty()) {
      parts.emplace_back(FilePart::exif, "its Exif", exif);
    } else if (!xmp.empty()) {
      add_xmp_parts("its XMP", text_of(xmp), parts);
    } else if (box.type != "jp2c" && box.type != "ihdr" && box.type != "res ") {
      add(fmt::format("the box {}", box.type), within(file, box));
    }
  };
  for_each_box(file, 0, file.size(), [&](const Box& box) { visit(visit, box); });
  return parts;
}

}  // namespace qturn::oiio
