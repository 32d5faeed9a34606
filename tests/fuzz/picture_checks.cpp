#include "tests/fuzz/picture_checks.hpp"

#include <algorithm>

#include "src/check/check.hpp"
#include "src/turn/proof.hpp"
#include "tests/fixtures/codec_pictures.hpp"

namespace qturn::fuzz {
namespace {

using namespace tests;

// What was made may not be refused.
template <typename Work>
auto must(Work work) {
  try {
    return work();
  } catch (const ImageFileError& error) {
    require(false, error.what());
    throw;
  }
}

void compare(const Image& image, const OtherReading& other) {
  require(other.complaint.empty(), other.complaint.c_str());
  for (std::size_t i = 0; i < std::min(other.pages.size(), image.pages.size()); ++i) {
    const Bytes& its = other.pages[i];
    require(its.empty() || its == pixels_of(image.pages[i]), "another library sees other pixels");
  }
}

}  // namespace

void turn_and_back(Input file, const Codec& format, ReadByOther* other) {
  const Header header = format.read_header(file);
  if (header.pixel_bytes_total > largest_picture) return;
  const Decoded source(file, format);
  const Page& first = source.image.pages.front();
  require(source.image.canvas.value_or(Size{first.width, first.height}) == header.size());
  require(source.image.pages.size() == static_cast<std::size_t>(header.pages));
  const bool is_silent = source.warnings.empty() && header.faults.empty();
  // A target may give a reader what is known not to be its format.
  if (other && is_silent && format.recognises(file, "")) compare(source.image, other(file));
  // It may be that it cannot be written, or its metadata is damaged.
  const Bytes once = turn_file(file, format, Orientation::rotate90);
  must([&] {
    require(format.read_header(once).width == header.height);
    const Decoded result(turn_file(once, format, Orientation::rotate270), format);
    require(result.image.pages.size() == source.image.pages.size());
    if (header.lossy) return;
    for (std::size_t i = 0; i < result.image.pages.size(); ++i) {
      const Page &before = source.image.pages[i], &after = result.image.pages[i];
      // libwebp leaves out an alpha that is opaque everywhere.
      if (&format == &webp::codec && after.channels != before.channels) continue;
      require(pixels_of(after) == pixels_of(before), "not the same turned back");
    }
  });
}

void check_unturned(Input file, const Codec& format) {
  check_metadata(file, format, Limits{});
  try {
    const Header header = format.read_header(file);
    const MetadataTurn none{.stored = header.stored,
                            .tag = header.stored,
                            .size = header.size(),
                            .turn_embedded = jpeg::turn_embedded_jpeg};
    const std::atomic<bool> never = false;
    prove_parts(format, file, file, none, JpegEdges::reencode, true, never);
  } catch (const ProofError& error) {
    require(false, error.what());
  } catch (const ImageFileError&) {
  }
}

void show(Input file, const Codec& format, const Codec& target) {
  const Header header = format.read_header(file);
  if (std::max(header.pixel_bytes_total, header.shown_bytes_total) > largest_picture) return;
  const Decoded shown(file, format, target);
  require(shown.image.pages.size() == static_cast<std::size_t>(header.pages));
  encode(shown.image, Orientation::identity, &format == &tiff::codec ? png::codec : tiff::codec);
}

}  // namespace qturn::fuzz
