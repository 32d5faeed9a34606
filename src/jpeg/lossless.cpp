#include "src/jpeg/lossless.hpp"

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

  // False if there is anything that libjpeg should look at. Baseline it reads as fast as can be.
  bool read_plain(const JpegDecoder& decoder, std::span<const std::byte> file,
                  const std::atomic<bool>& stop) {
    if (!decoder.info.progressive_mode) return false;
    const std::optional<PlainPicture> plain = describe_plain(decoder, file);
    if (!plain) return false;
    picture = plain->picture;
    make_blocks(picture, blocks);
    tail = file.subspan(plain->end);
    return read_progressive(file, picture, blocks, stop);
  }

  void read(JpegDecoder& decoder, std::span<const std::byte> file) {
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
  if (!parts_->read_plain(decoder, file, stop)) parts_->read(decoder, file);
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

}  // namespace qturn
