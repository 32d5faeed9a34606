#include "src/formats/jpeg/turn.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <type_traits>
#include <utility>

#include "src/formats/jpeg/libjpeg/session.hpp"
#include "src/formats/jpeg/metadata/orientation_metadata.hpp"
#include "src/formats/jpeg/metadata/trailing_pictures.hpp"
#include "src/formats/jpeg/scan_request.hpp"
#include "src/metadata/exif_thumbnail.hpp"
#include "src/metadata/xmp.hpp"

namespace qturn::jpeg {

namespace {

bool lists_pictures(const JpegSegment& segment) {
  return is_mpf(segment) || (is_xmp(segment) && has_container(xmp_packet(segment)));
}

// Whether nothing says that the only scan is not the rest of the file. Other bytes may follow it
// all the same: whoever reads the data sees where it ends.
bool seems_to_end_with_its_data(const JpegDecoder& decoder) {
  const JpegFile& file = decoder.file;
  return is_only_scan(decoder) && std::ranges::none_of(file.segments, lists_pictures) &&
         text_of(file.bytes.last(2)) == "\xFF\xD9";
}

// Depth maps.
std::vector<XmpPicture> pictures_in_text(const JpegFile& file) {
  std::vector<XmpPicture> all = pictures_in_xmp(read_extended_xmp(file.segments).packet);
  for (const JpegSegment& segment : file.segments)
    if (is_xmp(segment))
      std::ranges::move(pictures_in_xmp(xmp_packet(segment)), std::back_inserter(all));
  return all;
}

std::uint64_t pixels_of(std::optional<Size> size) {
  return size ? static_cast<std::uint64_t>(size->width * size->height) : 0;
}

template <typename Own, typename... Reader>
void read_unless_there(std::optional<Own>& own, std::span<const std::byte> file, PixelArena& arena,
                       const std::atomic<bool>& stop, Reader... reader) {
  if (own) return;
  std::vector<std::string> unused;
  own.emplace(*std::make_unique<JpegDecoder>(file, &stop, unlimited), arena, stop, unused,
              reader...);
}

}  // namespace

JpegTurn::JpegTurn(std::span<const std::byte> file, const JpegOptions& options,
                   const Limits& limits)
    : options_(options),
      decoder_(std::make_unique<JpegDecoder>(file, nullptr, limits, JpegFile::Part::header)),
      shape_(shape_of(decoder_->info)),
      header_(header_of(*decoder_)) {
  for (const XmpPicture& each : pictures_in_text(decoder_->file)) {
    add_smaller(each.bytes, each.name, true);
    most_pixels_in_text_ = std::max(most_pixels_in_text_, pixels_of(embedded_size(each.bytes)));
  }
  if (seems_to_end_with_its_data(*decoder_)) return;
  decoder_->complete();
  if (std::ranges::any_of(decoder_->file.segments, lists_pictures)) look_for_smaller();
}

JpegTurn::~JpegTurn() = default;

const JpegFile& JpegTurn::file() const { return decoder_->file; }

// What is wrong with them is said when they are turned.
void JpegTurn::look_for_smaller() try {
  std::vector<std::string> unused;
  const TrailingPictures trailing(file(), unused);
  for (const auto& each : trailing.pictures())
    add_smaller(each.jpeg, std::string(each.name), each.is_map);
} catch (const ImageFileError&) {
}

void JpegTurn::add_smaller(std::span<const std::byte> jpeg, std::string name, bool is_map) try {
  const JpegDecoder header(jpeg, nullptr, unlimited, JpegFile::Part::header);
  smaller_.push_back({std::move(name), shape_of(header.info), is_map});
} catch (const ImageFileError&) {
}

Route JpegTurn::route_of(const Smaller& smaller, Orientation applied) const {
  const Size left = jpeg_route(shape_, applied, options_) == Route::trimmed
                        ? whole_blocks(shape_, applied)
                        : shape_.size;
  const MetadataTurn turn{.stored = header_.stored,
                          .pixels = applied,
                          .size = qturn::turned_size(applied, left),
                          .untrimmed = shape_.size};
  JpegShape shape = smaller.shape;
  const Orientation own = turn.turn_of(shape.size);
  if (own == Orientation::identity) return Route::lossless;
  if (!smaller.is_map) return jpeg_route(shape, own, options_);
  // It is trimmed where its picture is, and nowhere else.
  if (own == applied) shape.size = trimmed_like_the_first(turn, shape.size).value_or(shape.size);
  const Route route = jpeg_route(shape, own, options_);
  return route == Route::trimmed ? Route::none : route;
}

const JpegTurn::Smaller* JpegTurn::inexact_one(Orientation applied) const {
  const auto found = std::ranges::find_if(
      smaller_, [&](const Smaller& each) { return route_of(each, applied) != Route::lossless; });
  return found == smaller_.end() ? nullptr : &*found;
}

std::string JpegTurn::why_not(Orientation applied) const {
  const bool is_own = whole_blocks(shape_, applied) != shape_.size;
  const Smaller* smaller = is_own ? nullptr : inexact_one(applied);
  return smaller ? fmt::format("{} {}", smaller->name, jpeg_not_exact) : jpeg_not_exact;
}

Route JpegTurn::route(Orientation applied) const {
  if (applied == Orientation::identity) return Route::lossless;
  Route route = jpeg_route(shape_, applied, options_);
  if (route != Route::lossless && route != Route::trimmed) return route;
  for (const Smaller& each : smaller_) {
    const Route own = route_of(each, applied);
    if (own == Route::none) return own;
    if (own != Route::lossless) route = own;
  }
  return route;
}

Route JpegTurn::own_route(Orientation applied) const {
  const Route whole = route(applied);
  const bool is_turned = whole == Route::planar || whole == Route::trimmed;
  return is_turned ? jpeg_route(shape_, applied, options_) : whole;
}

Size JpegTurn::turned_size(Orientation applied) const {
  switch (own_route(applied)) {
    case Route::tagged:
      return shape_.size;  // nothing moves
    case Route::trimmed:
      return qturn::turned_size(applied, whole_blocks(shape_, applied));
    default:
      return qturn::turned_size(applied, shape_.size);
  }
}

// The identity is a copy, which the caller makes.
std::optional<JpegRequest> JpegTurn::request(std::span<const Orientation> applied) const {
  std::vector<Orientation> lossless, planar;
  for (const Orientation each : applied) {
    const Route by = own_route(each);
    if (each == Orientation::identity) continue;
    if (by == Route::lossless || by == Route::trimmed) lossless.push_back(each);
    if (by == Route::planar) planar.push_back(each);
  }
  if (lossless.empty() && planar.empty()) return std::nullopt;
  return scan_request(*decoder_, lossless, planar);
}

void JpegTurn::accept(const JpegRequest& request, JpegMade made,
                      std::vector<std::string>& warnings) {
  const std::vector<Orientation> orientations = orientations_of(request);
  for (std::size_t i = 0; i < orientations.size(); ++i)
    made_[orientations[i]] = std::move(made.pictures[i]);
  decoder_->file.complete_with(made.data_bytes);
  is_read_ = true;
  add_notes(*decoder_, warnings);
}

// The pictures after the first are turned one by one, while its coefficients are in memory.
std::uint64_t JpegTurn::bytes_for_smaller() const {
  // For three components with their planes.
  constexpr std::uint64_t bytes_per_pixel = 15;
  std::vector<std::string> ignored;
  std::uint64_t most_pixels = most_pixels_in_text_;
  for (const auto& picture : TrailingPictures(file(), ignored).pictures())
    most_pixels = std::max(most_pixels, pixels_of(embedded_size(picture.jpeg)));
  return bytes_per_pixel * most_pixels;
}

std::uint64_t JpegTurn::bytes_needed(std::span<const Orientation> applied) const {
  const auto planar = [&](Orientation each) { return is_planar(each); };
  decoder_->complete();
  const jpeg_decompress_struct& info = decoder_->info;
  const std::uint64_t coefficients = jpeg_coefficient_bytes(info);
  // The result is about as large as the file. Its scans, the file made of them and that with other
  // metadata follow each other, two of them at a time.
  const std::uint64_t file = decoder_->file.bytes.size();
  std::uint64_t bytes = (4 << 20) + 2 * file + file / 4 + bytes_for_smaller();
  if (!std::ranges::all_of(applied, planar)) bytes += coefficients;
  if (std::ranges::any_of(applied, planar)) {
    // Besides, planes, the same turned, and the same resampled where pixels at an edge share chroma
    // with others. A coefficient takes twice the bytes of a sample.
    const bool resamples =
        info.image_width % static_cast<JDIMENSION>(info.max_h_samp_factor) != 0 ||
        info.image_height % static_cast<JDIMENSION>(info.max_v_samp_factor) != 0;
    bytes += coefficients + (resamples ? 3 : 2) * (coefficients / 2);
  }
  return bytes;
}

void JpegTurn::read(std::span<const Orientation> applied, PixelArena& arena,
                    const std::atomic<bool>& stop, std::vector<std::string>& warnings) {
  const auto planar = [&](Orientation each) { return is_planar(each); };
  decoder_->complete();
  std::vector<std::string> same_as_before;
  if (std::ranges::any_of(applied, planar)) {
    planes_.emplace(*decoder_, arena, stop, made_.empty() ? warnings : same_as_before);
  }
  if (std::ranges::all_of(applied, planar)) return;
  if (planes_) {  // for which the decoder has read all of the file
    JpegDecoder again(decoder_->file.bytes, &stop, unlimited);
    coefficients_.emplace(again, arena, stop, same_as_before);
  } else {
    coefficients_.emplace(*decoder_, arena, stop, made_.empty() ? warnings : same_as_before);
  }
}

FileBytes JpegTurn::turn(Orientation applied, const TurnEmbedded& turn_embedded,
                         const std::atomic<bool>& stop, std::vector<std::string>& warnings) {
  // The picture is turned first: only then are all markers known.
  FileBytes picture = turn(applied, stop);
  const bool trims = options_.edges == JpegEdges::trim;
  const auto turn_smaller = [&](std::span<const std::byte> jpeg, Orientation orientation) {
    return turned_jpeg(jpeg, orientation, {.edges = trims ? JpegEdges::trim : JpegEdges::reencode});
  };
  return finish_jpeg(decoder_->file, std::move(picture), applied, turned_size(applied),
                     turn_embedded, turn_smaller, warnings);
}

FileBytes JpegTurn::turn(Orientation applied, const std::atomic<bool>& stop) {
  if (const auto found = made_.find(applied); found != made_.end()) {
    return std::move(found->second);
  }
  return is_planar(applied) ? planes_->turn(applied, stop) : coefficients_->turn(applied, stop);
}

void JpegTurn::read_again(Orientation applied, PixelArena& arena, const std::atomic<bool>& stop) {
  planes_.reset();
  coefficients_.reset();
  const std::span<const std::byte> file = decoder_->file.bytes;
  if (is_planar(applied))
    read_unless_there(planes_, file, arena, stop);
  else
    read_unless_there(coefficients_, file, arena, stop, JpegReader::of_libjpeg);
}

// What a device has turned, the CPU has not read.
void JpegTurn::prove(std::span<const std::byte> result, Orientation applied, PixelArena& arena,
                     const std::atomic<bool>& stop) {
  std::optional<JpegCoefficients> found;
  read_unless_there(found, result, arena, stop);
  const auto prove_by = [&](auto& own) {
    read_unless_there(own, decoder_->file.bytes, arena, stop);
    own->prove(*found, applied, stop);
  };
  if (is_planar(applied))
    prove_by(planes_);
  else
    prove_by(coefficients_);
}

// Data have one form for each set of tables and restart intervals, apart from what programs that
// are not careful write. So equal bytes prove it, and other bytes say nothing.
bool JpegTurn::is_proved_by(const AskDevice& device, std::span<const std::byte> result,
                            Orientation applied) const try {
  if (!made_.contains(applied) || is_planar(applied)) return false;
  JpegDecoder found(result, nullptr, unlimited, JpegFile::Part::header);
  if (!seems_to_end_with_its_data(found)) found.complete();
  const auto request = request_back(*decoder_, found, applied);
  if (!request) return false;
  const auto back = device(*request);
  return back && text_of(back->pictures.front()) == text_of(only_scan_data(*decoder_));
} catch (const ImageFileError&) {
  return false;
}

// Its coefficients are compared first, which is exact.
std::optional<Orientation> JpegTurn::turn_in(std::span<const std::byte> result, PixelArena& arena,
                                             const std::atomic<bool>& stop) {
  std::optional<JpegCoefficients> found;
  read_unless_there(found, result, arena, stop);
  const auto found_by = [&](auto& own) {
    read_unless_there(own, decoder_->file.bytes, arena, stop);
    return first_that_holds([&](Orientation each) { own->prove(*found, each, stop); });
  };
  try {
    return found_by(coefficients_);
  } catch (const ProofError&) {
    return found_by(planes_);
  }
}

std::uint64_t JpegTurn::proof_bytes(std::span<const Orientation> applied) const {
  const std::uint64_t coefficients = jpeg_coefficient_bytes(decoder_->info);
  std::uint64_t most = 0;
  for (const Orientation each : applied) {
    // In the source a sample takes half the bytes of a coefficient, and a progressive picture has
    // both.
    const std::uint64_t source = is_planar(each) ? coefficients + coefficients / 2 : coefficients;
    most = std::max(most, made_.contains(each) ? source + coefficients : coefficients);
  }
  return most;
}

Bytes turned_jpeg(std::span<const std::byte> file, Orientation orientation,
                  const JpegOptions& options) {
  const std::atomic<bool> never{false};
  std::vector<std::string> notes;
  PixelArena arena;
  JpegTurn turn(file, options);
  turn.read(std::span(&orientation, 1), arena, never, notes);
  FileBytes turned = turn.turn(orientation, never);
  turned.append(turn.file().trailing_data());
  return turned;
}

Bytes turn_embedded_jpeg(std::span<const std::byte> file, Orientation orientation) {
  return turned_jpeg(file, orientation, {});
}

Bytes cropped_jpeg(std::span<const std::byte> file, Size size) {
  const std::atomic<bool> never{false};
  std::vector<std::string> notes;
  PixelArena arena;
  return JpegCoefficients(file, arena, never, notes).crop(size, never);
}

}  // namespace qturn::jpeg
