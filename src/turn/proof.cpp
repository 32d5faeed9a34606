#include "src/turn/proof.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "src/formats/table.hpp"
#include "src/metadata/exif_thumbnail.hpp"
#include "src/metadata/exif_turn.hpp"
#include "src/picture/errors.hpp"
#include "src/picture/file_limits.hpp"

namespace qturn {
namespace {

std::string in_words(const Page& page) {
  return fmt::format("{} x {} pixels of {} bytes", page.width, page.height, page.pixel_bytes());
}

// A pixel in hexadecimal digits, byte after byte.
std::string in_words(const std::byte* pixel, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i)
    text += fmt::format("{}{:02x}", i == 0 ? "" : " ", std::to_integer<unsigned>(pixel[i]));
  return text;
}

// The turn from the page to the page of the result. Each may be turned ahead of its first page.
Orientation of_page(const Page& source, const Page& result, Orientation applied) {
  return compose(compose(source.ahead, applied), inverse(result.ahead));
}

void prove_form(const Page& source, const Page& result, std::size_t number, Orientation applied) {
  const Size size = turned_size(applied, {source.width, source.height});
  const bool is_alike = result.width == size.width && result.height == size.height &&
                        result.channels == source.channels && result.type == source.type;
  if (is_alike) return;
  Page expected = source;
  expected.width = size.width;
  expected.height = size.height;
  throw ProofError(
      fmt::format("page {}: {} expected, {} found", number, in_words(expected), in_words(result)));
}

void prove_page(const Page& source, const Page& result, std::size_t number, Orientation applied,
                const std::atomic<bool>& stop) {
  prove_form(source, result, number, applied);
  const Size size = turned_size(applied, {source.width, source.height});
  const int bytes = source.pixel_bytes();
  const auto* from = static_cast<const std::byte*>(source.pixels);
  const auto* to = static_cast<const std::byte*>(result.pixels);
  const Orientation back = inverse(applied);
  const auto place_in_source = [&](std::int64_t x, std::int64_t y) {
    const Position at = destination_of(back, {x, y}, size);
    return at.y * source.row_bytes() + at.x * bytes;
  };
  // Where the next pixel of a row of the result lies in the source.
  const std::int64_t step =
      size.width > 1 ? place_in_source(1, 0) - place_in_source(0, 0) : std::int64_t{bytes};
  const auto row_is_equal = [&](std::int64_t y, std::int64_t left, std::int64_t right) {
    const std::byte* was = from + place_in_source(left, y);
    const std::byte* is = to + y * result.row_bytes() + left * bytes;
    if (step == bytes)
      return std::memcmp(was, is, static_cast<std::size_t>((right - left) * bytes)) == 0;
    const auto all_equal = [&](auto equal) {
      bool all = true;
      for (std::int64_t x = left; x < right; ++x, was += step, is += bytes) all &= equal(was, is);
      return all;
    };
    // A size that the compiler knows takes a load and a comparison.
    switch (bytes) {
      case 1:
        return all_equal([](const auto* a, const auto* b) { return *a == *b; });
      case 2:
        return all_equal([](const auto* a, const auto* b) { return std::memcmp(a, b, 2) == 0; });
      case 3:
        return all_equal([](const auto* a, const auto* b) { return std::memcmp(a, b, 3) == 0; });
      case 4:
        return all_equal([](const auto* a, const auto* b) { return std::memcmp(a, b, 4) == 0; });
      default:
        return all_equal([&](const auto* a, const auto* b) {
          return std::memcmp(a, b, static_cast<std::size_t>(bytes)) == 0;
        });
    }
  };
  // In squares, whose rows stay in the caches where the axes are swapped.
  constexpr std::int64_t side = 64;
  for (std::int64_t top = 0; top < size.height; top += side) {
    if (stop) throw Interrupted();
    for (std::int64_t left = 0; left < size.width; left += side) {
      const std::int64_t right = std::min(left + side, size.width);
      for (std::int64_t y = top; y < std::min(top + side, size.height); ++y) {
        if (row_is_equal(y, left, right)) continue;
        std::int64_t x = left;
        while (row_is_equal(y, x, x + 1)) ++x;
        throw ProofError(fmt::format("page {}, pixel {}, {}: {} expected, {} found", number, x, y,
                                     in_words(from + place_in_source(x, y), bytes),
                                     in_words(to + y * result.row_bytes() + x * bytes, bytes)));
      }
    }
  }
}

/// For a page of 8-bit RGB, with or without alpha.
void prove_brightness(const Page& source, const Page& result, std::size_t number,
                      Orientation applied) {
  prove_form(source, result, number, applied);
  constexpr std::int64_t side = 16, most = 64;
  const auto brightness = [](const Page& page, Position at) {
    const auto* pixel = static_cast<const std::uint8_t*>(page.pixels) + at.y * page.row_bytes() +
                        at.x * page.pixel_bytes();
    return page.channels < 3 ? 4 * pixel[0] : pixel[0] + 2 * pixel[1] + pixel[2];
  };
  const Orientation back = inverse(applied);
  for (std::int64_t top = 0; top < result.height; top += side) {
    for (std::int64_t left = 0; left < result.width; left += side) {
      std::int64_t was = 0, is = 0, count = 0;
      for (std::int64_t y = top; y < std::min(top + side, result.height); ++y) {
        for (std::int64_t x = left; x < std::min(left + side, result.width); ++x, count += 4) {
          was += brightness(source, destination_of(back, {x, y}, {result.width, result.height}));
          is += brightness(result, {x, y});
        }
      }
      if (std::abs(was - is) <= most * count) continue;
      throw ProofError(fmt::format("page {}, from {}, {} on: a mean of {} expected, {} found",
                                   number, left, top, was / count, is / count));
    }
  }
}

std::vector<const FilePart*> of_kinds(const std::vector<FilePart>& parts,
                                      std::initializer_list<FilePart::Kind> kinds) {
  std::vector<const FilePart*> found;
  for (const FilePart& part : parts)
    if (std::ranges::find(kinds, part.kind) != kinds.end()) found.push_back(&part);
  return found;
}

std::string in_words(const std::vector<const FilePart*>& parts, std::size_t at) {
  if (at >= parts.size()) return "nothing more";
  return fmt::format("{} of {} bytes", parts[at]->name, parts[at]->bytes);
}

using Parts = std::vector<FilePart>;

/// Each part of these kinds must be there, in this order.
void prove_kinds(const Parts& source, const Parts& result,
                 std::initializer_list<FilePart::Kind> kinds, bool content_counts) {
  const auto expected = of_kinds(source, kinds), found = of_kinds(result, kinds);
  for (std::size_t i = 0; i < std::max(expected.size(), found.size()); ++i) {
    const bool is_there =
        i < expected.size() && i < found.size() && expected[i]->name == found[i]->name;
    if (is_there &&
        (!content_counts ||
         (expected[i]->bytes == found[i]->bytes && expected[i]->hash == found[i]->hash &&
          text_of(expected[i]->content) == text_of(found[i]->content))))
      continue;
    const std::string what = in_words(found, i), wanted = in_words(expected, i);
    throw ProofError(fmt::format("{} expected, {} found", wanted,
                                 what == wanted ? "the same with other content" : what));
  }
}

/// A JPEG or a PNG inside another file.
void prove_embedded(const std::string& name, std::span<const std::byte> source,
                    std::span<const std::byte> result, const MetadataTurn& whole, JpegEdges edges,
                    const std::atomic<bool>& stop) try {
  const auto size = embedded_size(source);
  const Orientation applied = size ? whole.turn_of(*size) : Orientation::identity;
  const bool stays = std::ranges::equal(source, result);
  if (stays && applied == Orientation::identity) return;
  PixelArena arena;
  std::vector<std::string> unused;
  std::unique_ptr<CompressedTurn> turn;
  try {
    const Codec* codec = size ? codec_of_content(source, {}) : nullptr;
    if (!codec || !codec->turn_embedded) throw ImageFileError("it is not a JPEG or a PNG");
    if (!codec->turn_compressed) {
      const auto decoded = [&](std::span<const std::byte> file) {
        return codec->decode(file, Samples::as_stored, arena, stop, unused);
      };
      return prove_pixels(decoded(source), decoded(result), applied, stop);
    }
    const bool is_trimmed =
        edges == JpegEdges::trim && jpeg_size(result) != turned_size(applied, *size);
    turn = codec->turn_compressed(
        source, {.edges = is_trimmed ? JpegEdges::trim : JpegEdges::reencode}, unlimited);
    turn->read(std::span(&applied, 1), arena, stop, unused);
  } catch (const ImageFileError&) {
    if (stays) return;  // it is damaged, and a warning said so
    throw;
  }
  turn->prove(result, applied, arena, stop);
} catch (const ImageFileError& error) {
  throw ProofError(fmt::format("{}: {}", name, error.what()));
}

/// The parts, with the videos as they must be after `turn`.
Parts with_turned_videos(Parts parts, const MetadataTurn& turn) {
  for (FilePart& part : parts) {
    if (!part.turn_as_seen) continue;
    Bytes bytes(part.content.begin(), part.content.end());
    std::vector<std::string> unused;
    part.turn_as_seen(bytes, turn.view(), unused);
    part = FilePart::of_copy(part.kind, part.name, bytes);
  }
  return parts;
}

void prove_exif_blocks(const Parts& source, const Parts& result, const MetadataTurn& turn,
                       const std::atomic<bool>& stop) {
  const auto before = of_kinds(source, {FilePart::exif}),
             after = of_kinds(result, {FilePart::exif});
  const bool is_added = before.empty() && turn.tag != Orientation::identity;
  if (after.size() != before.size() + (is_added && !after.empty() ? 1 : 0)) {
    throw ProofError(fmt::format("{} Exif blocks expected, {} found", before.size(), after.size()));
  }
  for (std::size_t i = 0; i < before.size(); ++i) {
    const ExifThumbnails thumbnails = prove_exif(before[i]->content, after[i]->content, turn);
    prove_embedded("the thumbnail", thumbnails.before, thumbnails.after, turn, JpegEdges::reencode,
                   stop);
  }
}

void prove_smaller_pictures(const Parts& source, const Parts& result, const MetadataTurn& turn,
                            JpegEdges edges, const std::atomic<bool>& stop) {
  const auto before = of_kinds(source, {FilePart::embedded});
  const auto after = of_kinds(result, {FilePart::embedded});
  if (after.size() != before.size()) {
    throw ProofError(
        fmt::format("{} smaller pictures expected, {} found", before.size(), after.size()));
  }
  // If the first picture is trimmed, the smaller ones have other sizes, too.
  if (turn.whole_size() != turn.old_size()) return;
  for (std::size_t i = 0; i < before.size(); ++i)
    prove_embedded(before[i]->name, before[i]->content, after[i]->content, turn, edges, stop);
}

template <typename Prove>
void for_each_page(const Image& source, const Image& result, Prove prove) {
  if (result.pages.size() != source.pages.size()) {
    throw ProofError(
        fmt::format("{} pages expected, {} found", source.pages.size(), result.pages.size()));
  }
  for (std::size_t i = 0; i < source.pages.size(); ++i)
    prove(source.pages[i], result.pages[i], i + 1);
}

std::vector<std::string> findings_in(const Codec& codec, std::span<const std::byte> file,
                                     bool smaller_are_proved) {
  MetadataCheck check(codec.read_header(file), smaller_are_proved);
  if (codec.check) codec.check(file, check);
  return check.findings();
}

}  // namespace

void prove_pixels(const Image& source, const Image& result, Orientation applied,
                  const std::atomic<bool>& stop) {
  for_each_page(source, result, [&](const Page& was, const Page& is, std::size_t number) {
    prove_page(was, is, number, of_page(was, is, applied), stop);
  });
}

void prove_nearly_equal(const Image& source, const Image& result, Orientation applied,
                        const std::atomic<bool>& stop) {
  for_each_page(source, result, [&](const Page& was, const Page& is, std::size_t number) {
    if (stop) throw Interrupted();
    prove_brightness(was, is, number, of_page(was, is, applied));
  });
}

void prove_parts(const Codec& codec, std::span<const std::byte> source,
                 std::span<const std::byte> result, const MetadataTurn& turn, JpegEdges edges,
                 bool has_same_pixels, const std::atomic<bool>& stop) {
  if (codec.parts) {
    const Parts before = with_turned_videos(codec.parts(source, turn.pixels), turn);
    const Parts after = with_turned_videos(codec.parts(result, Orientation::identity), {});
    prove_kinds(before, after, {FilePart::fixed}, true);
    if (has_same_pixels) prove_kinds(before, after, {FilePart::pixels}, true);
    prove_kinds(before, after, {FilePart::other}, false);
    prove_exif_blocks(before, after, turn, stop);
    prove_smaller_pictures(before, after, turn, edges, stop);
  }
  const bool smaller_are_proved = codec.parts && turn.whole_size() == turn.old_size();
  const std::vector<std::string> found = findings_in(codec, result, smaller_are_proved);
  if (!found.empty() && findings_in(codec, source, smaller_are_proved).size() < found.size())
    throw ProofError("its metadata contradict it: " + found.front());
}

}  // namespace qturn
