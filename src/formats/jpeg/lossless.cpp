#include "src/formats/jpeg/lossless.hpp"

#include <fmt/format.h>

#include "src/formats/jpeg/libjpeg/blocks.hpp"
#include "src/formats/jpeg/libjpeg/picture.hpp"
#include "src/formats/jpeg/libjpeg/session.hpp"
#include "src/formats/jpeg/proof.hpp"
#include "src/formats/jpeg/reading/sequential_reader.hpp"
#include "src/formats/jpeg/route.hpp"
#include "src/formats/jpeg/writing/writer.hpp"

namespace qturn::jpeg {
namespace {

// For less data, making the tables takes longer than libjpeg takes for all: 24 us, 2026-11-23.
constexpr std::size_t worth_tables = 5000;

void read_to_end(JpegDecoder& decoder, JpegBlocks& blocks, JpegReader reader) {
  const std::vector<JpegScan>& scans = decoder.file.scans;
  if (reader == JpegReader::fastest && !scans.empty() && scans.front().bytes >= worth_tables &&
      read_sequential(decoder, blocks)) {
    return;
  }
  blocks.serve(reinterpret_cast<j_common_ptr>(&decoder.info));
  guarded(decoder.errors, [&] { jpeg_read_coefficients(&decoder.info); });
}

}  // namespace

struct JpegCoefficients::Parts {
  explicit Parts(PixelArena& arena) : blocks(arena) {}

  JpegBlocks blocks;
  JpegShape shape;
  JpegPicture picture;
};

JpegCoefficients::JpegCoefficients(std::span<const std::byte> file, PixelArena& arena,
                                   const std::atomic<bool>& stop,
                                   std::vector<std::string>& warnings)
    : JpegCoefficients(*std::make_unique<JpegDecoder>(file), arena, stop, warnings) {}

JpegCoefficients::JpegCoefficients(JpegDecoder& decoder, PixelArena& arena,
                                   const std::atomic<bool>& stop,
                                   std::vector<std::string>& warnings, JpegReader reader)
    : parts_(std::make_unique<Parts>(arena)) {
  decoder.stop_by(stop);
  parts_->shape = shape_of(decoder.info);
  read_to_end(decoder, parts_->blocks, reader);
  parts_->picture = describe(decoder);
  add_notes(decoder, warnings);
}

JpegCoefficients::~JpegCoefficients() = default;

Bytes JpegCoefficients::turn(Orientation orientation, const std::atomic<bool>& stop) const {
  const Size whole = whole_blocks(parts_->shape, orientation);
  if (whole.width == 0 || whole.height == 0) {
    throw ImageFileError("smaller than a block, so nothing can be turned losslessly");
  }
  JpegPicture picture = parts_->picture;
  set_size(picture, static_cast<JDIMENSION>(whole.width), static_cast<JDIMENSION>(whole.height));
  return write_jpeg(picture, parts_->blocks, orientation, JpegTables::of_source, stop);
}

DescribedBlocks JpegCoefficients::described() const { return {parts_->picture, parts_->blocks}; }

void JpegCoefficients::prove(const JpegCoefficients& result, Orientation orientation,
                             const std::atomic<bool>& stop) const {
  const Size whole = whole_blocks(parts_->shape, orientation);
  JpegPicture picture = parts_->picture;
  set_size(picture, static_cast<JDIMENSION>(whole.width), static_cast<JDIMENSION>(whole.height));
  prove_coefficients({picture, parts_->blocks}, result.described(), orientation, stop);
}

Bytes JpegCoefficients::crop(Size size, const std::atomic<bool>& stop) const {
  const Size whole = parts_->shape.size;
  if (size.width < 1 || size.height < 1 || size.width > whole.width || size.height > whole.height) {
    throw ImageFileError(fmt::format("{} x {} pixels, of which no {} x {} can be taken",
                                     whole.width, whole.height, size.width, size.height));
  }
  JpegPicture picture = parts_->picture;
  set_size(picture, static_cast<JDIMENSION>(size.width), static_cast<JDIMENSION>(size.height));
  return write_jpeg(picture, parts_->blocks, Orientation::identity, JpegTables::of_source, stop);
}

}  // namespace qturn::jpeg
