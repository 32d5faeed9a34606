#include "src/jpeg/lossless.hpp"

#include <fmt/format.h>

#include "src/jpeg/blocks.hpp"
#include "src/jpeg/header.hpp"
#include "src/jpeg/markers.hpp"
#include "src/jpeg/picture.hpp"
#include "src/jpeg/progressive.hpp"
#include "src/jpeg/route.hpp"
#include "src/jpeg/writer.hpp"

namespace qturn {

struct JpegCoefficients::Parts {
  explicit Parts(PixelArena& arena) : blocks(arena) {}

  void read(JpegDecoder& decoder, std::span<const std::byte> file, const std::atomic<bool>& stop) {
    // Baseline libjpeg reads as fast as can be.
    if (auto plain = read_progressive(decoder, file, blocks, stop)) {
      picture = std::move(plain->picture);
      tail = file.subspan(plain->end);
      return;
    }
    blocks.serve(reinterpret_cast<j_common_ptr>(&decoder.info));
    guarded(decoder.errors, [&] { jpeg_read_coefficients(&decoder.info); });
    picture = describe(decoder, file);
    tail = rest_of(decoder);
  }

  JpegBlocks blocks;
  JpegShape shape;
  JpegPicture picture;
  std::span<const std::byte> tail;
};

JpegCoefficients::JpegCoefficients(std::span<const std::byte> file, PixelArena& arena,
                                   const std::atomic<bool>& stop,
                                   std::vector<std::string>& warnings)
    : parts_(std::make_unique<Parts>(arena)) {
  jpeg_header_segments(file);  // throws for the kinds that are not supported
  JpegDecoder decoder(file, &stop);
  check_header(decoder.info, file.size());
  parts_->shape = shape_of(decoder.info);
  parts_->read(decoder, file, stop);
  add_notes(decoder, warnings);
}

JpegCoefficients::~JpegCoefficients() = default;

Bytes JpegCoefficients::turn(Orientation orientation, const std::atomic<bool>& stop) const {
  const Size whole = whole_blocks(parts_->shape, orientation);
  if (whole.width == 0 || whole.height == 0) {
    throw ImageFileError("smaller than a block, of which nothing can be turned losslessly");
  }
  JpegPicture picture = parts_->picture;
  set_size(picture, static_cast<JDIMENSION>(whole.width), static_cast<JDIMENSION>(whole.height));
  return write_jpeg(picture, parts_->blocks, orientation, parts_->tail, stop);
}

Bytes JpegCoefficients::crop(Size size, const std::atomic<bool>& stop) const {
  const Size whole = parts_->shape.size;
  if (size.width < 1 || size.height < 1 || size.width > whole.width || size.height > whole.height) {
    throw ImageFileError(fmt::format("{} x {} pixels, of which no {} x {} can be taken",
                                     whole.width, whole.height, size.width, size.height));
  }
  JpegPicture picture = parts_->picture;
  set_size(picture, static_cast<JDIMENSION>(size.width), static_cast<JDIMENSION>(size.height));
  return write_jpeg(picture, parts_->blocks, Orientation::identity, parts_->tail, stop);
}

}  // namespace qturn
