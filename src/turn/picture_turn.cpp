#include "src/turn/picture_turn.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "src/formats/codec/jpeg_device.hpp"
#include "src/formats/table.hpp"
#include "src/picture/file_limits.hpp"
#include "src/turn/encode.hpp"
#include "src/turn/proof.hpp"

namespace qturn {
namespace {

const Codec* recognised(std::span<const std::byte> file, std::string_view lower_suffix) {
  if (file.empty()) throw ImageFileError("the file is empty");
  const Codec* codec = codec_of_content(file, lower_suffix);
  // Any 128 bytes may come before it, such as a TIFF's header.
  constexpr std::size_t dicom_at = 128;
  if (file.size() > dicom_at && text_of(file.subspan(dicom_at)).starts_with("DICM"))
    throw ImageFileError("DICOM is not a format that qturn reads");
  if (!codec)
    throw ImageFileError("not a picture in a format that qturn reads, whatever its name says");
  return codec;
}

void refuse_conversion(const Codec& from, const Codec& to) {
  if (&from == &to) return;
  if (!from.decode) {
    throw ImageFileError(
        fmt::format("qturn turns {} files without decoding them, so they cannot become {}",
                    from.name, to.name));
  }
  if (!to.encode || to.is_array) {
    throw ImageFileError(
        fmt::format("{} cannot be written, but {} can", to.name, format_names(", ")));
  }
}

// The memory that encode() takes for another format. Most encoders hold the compressed pixels, and
// then the file that they are copied to; compressed noise is a few per cent larger than its pixels.
std::uint64_t encoding_bytes(std::uint64_t pixel_bytes, std::uint64_t pixels, const Codec& target) {
  return (std::uint64_t{4} << 20) + 2 * (pixel_bytes + pixel_bytes / 16) +
         pixels * target.encoding_bytes_per_pixel;
}

// An encoder here may take many more bytes than the source: for a lossy WebP of many frames, for
// run lengths, and for pixels of a lossy format that are stored without loss.
void warn_of_growth(std::size_t before, std::size_t after, std::vector<std::string>& warnings) {
  constexpr std::size_t times = 4, least = 64 << 10;
  if (after < times * before || after - before < least) return;
  warnings.push_back(fmt::format("the turned file is {} times as large: {} KiB, before {} KiB",
                                 after / before, after >> 10, before >> 10));
}

}  // namespace

template <typename Read>
void PictureTurn::of_damaged(Read read) const {
  try {
    read();
  } catch (const ImageFileError&) {
    throw ImageFileError(damage_ + "; nothing can be salvaged");
  }
}

PictureTurn::PictureTurn(std::span<const std::byte> file, std::string_view lower_suffix,
                         const PictureOptions& options)
    : file_(file),
      options_(options),
      format_(recognised(file, lower_suffix)),
      target_(options.target ? options.target : format_) {
  refuse_conversion(*format_, *target_);
  // A format that is never decoded is turned without touching a pixel, or by its tag.
  if (!format_->decode) options_.tag_only = !format_->turn_compressed;
  if (format_->only_if_asked && format_->retag && !options_.raw) {
    throw WithHints<ImageFileError>({Hint::turn_raw_tag},
                                    "a camera raw file, whose pixels are not turned");
  }
  try {
    open();
  } catch (const LimitError&) {
    throw;
  } catch (const ImageFileError& error) {
    if (!options_.salvage || !format_->read_damaged_header) throw;
    damage_ = error.what();
    of_damaged([&] { header_ = format_->read_damaged_header(file_); });
  }
  if (options_.believes_exif && header_.doubted) {
    header_.stored = *std::exchange(header_.doubted, std::nullopt);
    header_.doubt.clear();
  }
  if (std::string wrong = wrong_suffix(*format_, lower_suffix); !wrong.empty())
    header_.faults.push_back(std::move(wrong));
  warnings_ = header_.faults;
  if (!header_.doubt.empty()) warnings_.push_back(header_.doubt);
  check_size(options_.limits, header_.pixels_total, header_.pixel_bytes_total, file_.size());
}

void PictureTurn::open() {
  if (!is_converted() && format_->turn_compressed) {
    compressed_ = format_->turn_compressed(file_, options_.jpeg, options_.limits);
    header_ = compressed_->header();
  } else {
    if (format_->check_limits) format_->check_limits(file_, options_.limits);
    header_ = format_->read_header(file_);
  }
}

// Whether the decoded pages go back to the system once they are turned for the last time, so that
// the encoder can have the memory. Smaller ones are kept for the next picture.
bool PictureTurn::is_released(std::uint64_t decoded_bytes) const {
  return decoded_bytes >= std::uint64_t{64} << 20 && !options_.proves;
}

Route PictureTurn::route_of(Orientation applied) const {
  if (options_.tag_only) return format_->retag ? Route::tagged : Route::none;
  if (is_converted() || !damage_.empty()) return Route::reencoded;
  if (applied == Orientation::identity && !header_.pages_differ) {
    const bool says_so = header_.stored == Orientation::identity && !header_.has_ignored_tag;
    if (stored() == Orientation::identity && says_so) return Route::copied;
    if (format_->retag) return Route::tagged;
  }
  if (!header_.doubt.empty() || (!compressed_ && !format_->encode)) return Route::none;
  return compressed_ ? compressed_->route(applied) : Route::reencoded;
}

Loss PictureTurn::loss_of(Route route) const {
  if (route == Route::planar) {
    return options_.jpeg.mode == JpegMode::lossless ? Loss::unasked : Loss::asked_for;
  }
  if (route != Route::reencoded) return Loss::none;
  if (is_converted() || !damage_.empty()) {
    const bool loses = target_->is_lossy || (options_.quality && target_->takes_quality);
    return loses ? Loss::asked_for : Loss::none;
  }
  return header_.lossy ? Loss::unasked : Loss::none;
}

TurnOutcome PictureTurn::plan(Orientation orientation) const {
  TurnOutcome outcome{.applied = applied(orientation), .message = {}};
  outcome.route = route_of(outcome.applied);
  outcome.loss = loss_of(outcome.route);
  if (outcome.route == Route::tagged) outcome.applied = Orientation::identity;
  const bool by_compressed = compressed_ && !options_.tag_only;
  outcome.size = by_compressed ? compressed_->turned_size(outcome.applied)
                               : turned_size(outcome.applied, header_.size());
  const bool is_by_default = outcome.loss == Loss::unasked && outcome.route == Route::planar;
  if (outcome.route == Route::skipped || outcome.route == Route::none || is_by_default) {
    outcome.message =
        !header_.doubt.empty() ? header_.doubt
        : by_compressed        ? compressed_->why_not(applied(orientation))
        : options_.tag_only
            ? no_place_for_orientation(*format_)
            : fmt::format("{} can be read but not written; choose another format", format_->name);
  }
  outcome.stale_metadata = stale_metadata(outcome);
  if (moves_pixels(outcome) && !is_converted()) {
    outcome.kept_unknown = header_.unknown;
    outcome.kept_maker_note = header_.has_maker_note;
  }
  return outcome;
}

std::vector<std::string> PictureTurn::stale_metadata(const TurnOutcome& outcome) const {
  std::vector<std::string> stale;
  const bool retags = outcome.route == Route::tagged;
  const bool moves_a_page = header_.pages_differ && outcome.route == Route::reencoded;
  for (const PlacedMetadata& placed : header_.placed) {
    const bool is_kept = is_converted() ? placed.is_converted : !placed.is_turned;
    const bool changes = (retags && placed.is_of_bytes) || moves_a_page || moves_pixels(outcome);
    const bool swaps = moves_a_page || swaps_axes(outcome.applied);
    if (is_kept && changes && (!placed.needs_axes_swap || swaps)) stale.push_back(placed.name);
  }
  return stale;
}

std::string PictureTurn::storage_change(Orientation orientation) const {
  const bool is_encoded = route_of(applied(orientation)) == Route::reencoded;
  return is_encoded && !is_converted() && damage_.empty() ? header_.storage_change : std::string();
}

std::vector<Orientation> PictureTurn::all_applied(std::span<const Orientation> orientations) const {
  std::vector<Orientation> all;
  for (const Orientation each : orientations) all.push_back(applied(each));
  return all;
}

std::size_t PictureTurn::reencoded_among(std::span<const Orientation> orientations) const {
  return static_cast<std::size_t>(std::ranges::count_if(
      orientations, [&](Orientation each) { return route_of(applied(each)) == Route::reencoded; }));
}

// A decoder may make the pages for another format from the stored ones: then both are in memory.
std::uint64_t PictureTurn::decoded_bytes() const {
  return header_.pixel_bytes_total + (is_converted() ? header_.shown_bytes_total : 0);
}

MemoryNeed PictureTurn::memory_needed(std::span<const Orientation> orientations) const {
  // A file with another tag is a copy; where it had no metadata, some is added.
  constexpr std::uint64_t added_metadata = 1 << 16;
  const std::uint64_t copy = file_.size() + added_metadata;
  if (options_.tag_only) return {.reading = 0, .turning = copy};
  const std::uint64_t compressed =
      compressed_ ? compressed_->bytes_needed(all_applied(orientations)) : 0;
  if (compressed_ && !options_.salvage) {
    const std::uint64_t proof = options_.proves ? proof_bytes(orientations) : 0;
    return {.reading = compressed, .turning = compressed + proof};
  }
  const std::uint64_t decoded = decoded_bytes();
  MemoryNeed need{.reading = std::max(decoded + header_.decoding_bytes, compressed),
                  .turning = decoded + copy};
  const std::size_t turns = options_.salvage ? orientations.size() : reencoded_among(orientations);
  if (turns == 0) return need;
  std::uint64_t turned = header_.pixel_bytes_total, encoding = header_.encoding_bytes;
  if (is_converted() || options_.salvage) {
    if (header_.shown_bytes_total != 0) turned = header_.shown_bytes_total;
    encoding = encoding_bytes(turned, header_.pixels_total, *target_);
  }
  need.turning = turns == 1 && is_released(decoded) ? std::max(decoded, encoding) + turned
                                                    : decoded + turned + encoding;
  if (turns < orientations.size()) need.turning = std::max(need.turning, decoded + turned + copy);
  // The result is decoded where the turned pages were.
  if (options_.proves) need.turning += header_.decoding_bytes;
  return need;
}

std::optional<JpegRequest> PictureTurn::request(std::span<const Orientation> orientations) const {
  if (!compressed_ || options_.tag_only) return std::nullopt;
  return compressed_->request(all_applied(orientations));
}

void PictureTurn::accept(const JpegRequest& request, JpegMade made) {
  compressed_->accept(request, std::move(made), warnings_);
  pixels_read_ = static_cast<std::uint64_t>(header_.width * header_.height);
}

bool PictureTurn::is_made(Orientation orientation) const {
  return compressed_ && compressed_->is_made(applied(orientation));
}

void PictureTurn::read(std::span<const Orientation> orientations, Lane& lane,
                       const std::atomic<bool>& stop) {
  lane_ = &lane;
  alone_.reset();
  if (orientations.size() == 1) alone_ = applied(orientations.front());
  if (options_.tag_only) return;
  if (damage_.empty()) {
    try {
      return read_whole(orientations, lane, stop);
    } catch (const ImageFileError& error) {
      if (!options_.salvage || !format_->salvage) throw;
      damage_ = error.what();
    }
  }
  compressed_.reset();
  warnings_ = header_.faults;
  lane.clear();
  of_damaged(
      [&] { take(format_->salvage(file_, lane.decoded(), stop, warnings_), orientations, lane); });
}

void PictureTurn::read_whole(std::span<const Orientation> orientations, Lane& lane,
                             const std::atomic<bool>& stop) {
  if (compressed_) {
    compressed_->read(all_applied(orientations), lane.decoded(), stop, warnings_);
    pixels_read_ = static_cast<std::uint64_t>(header_.width * header_.height);
    return;
  }
  // Decoding warns about parts that encoding leaves out. A copy keeps them, and so does a file with
  // another tag.
  std::vector<std::string> unused;
  const bool any_encoded = reencoded_among(orientations) > 0;
  const Samples samples = is_converted() ? Samples::for_another_format : Samples::as_stored;
  take(format_->decode(file_, samples, lane.decoded(), stop, any_encoded ? warnings_ : unused),
       orientations, lane);
}

void PictureTurn::take(const Image& image, std::span<const Orientation> orientations, Lane& lane) {
  pixels_read_ = 0;
  for (const Page& page : image.pages) {
    pixels_read_ += static_cast<std::uint64_t>(page.width * page.height);
  }
  lane.load(image);
  if (options_.proves) decoded_ = image;
  turns_left_ = reencoded_among(orientations);
}

MetadataTurn PictureTurn::metadata_turn(Orientation orientation, const TurnOutcome& planned) const {
  return {.stored = stored(),
          .pixels = planned.applied,
          // The tag states the rest of the turn, which the pixels did not get.
          .tag = compose(inverse(planned.applied), applied(orientation)),
          .size = planned.size,
          .untrimmed = header_.size()};
}

bool PictureTurn::looks_at_file(std::span<const Orientation> orientations) const {
  return options_.proves || reencoded_among(orientations) < orientations.size();
}

FileBytes PictureTurn::turn(Orientation orientation, const std::atomic<bool>& stop,
                            std::vector<std::string>& warnings) {
  const TurnOutcome planned = plan(orientation);
  switch (planned.route) {
    case Route::copied:
    case Route::skipped:
      return {};
    case Route::tagged: {
      const Orientation tag = this->applied(orientation);
      const bool is_upright = tag == Orientation::identity && !options_.tag_only;
      return retag(file_, *format_, tag,
                   is_upright ? MissingTag::stays_absent : MissingTag::is_added, warnings);
    }
    case Route::reencoded: {
      Image turned = lane_->turn(planned.applied, stop, warnings);
      if (is_converted()) turned.quality = options_.quality;
      turned.prefers_speed = options_.png == PngMode::fast;
      if (--turns_left_ == 0 && is_released(decoded_bytes())) lane_->release_decoded();
      Bytes result = encode(turned, planned.applied, *target_, stop, warnings);
      if (!is_converted()) warn_of_growth(file_.size(), result.size(), warnings);
      return result;
    }
    case Route::lossless:
    case Route::trimmed:
    case Route::planar:
      return compressed_->turn(planned.applied, turn_embedded, stop, warnings);
    case Route::none:
      break;
  }
  refuse(planned);
}

void PictureTurn::refuse(const TurnOutcome& planned) const {
  throw WithHints<ImageFileError>(hints_of_doubt(), planned.message);
}

namespace {

/// Calls `read`, which reads a result. Throws ProofError if that fails.
template <typename Read>
auto of_result(Read read) {
  try {
    return read();
  } catch (const ProofError&) {
    throw;
  } catch (const ImageFileError& error) {
    throw ProofError(fmt::format("it cannot be read again: {}", error.what()));
  }
}

}  // namespace

void PictureTurn::prove(Orientation orientation, std::span<const std::byte> result,
                        const std::atomic<bool>& stop, bool is_data_proved) {
  const TurnOutcome planned = plan(orientation);
  of_result([&] {
    prove_read(planned, metadata_turn(orientation, planned), result, is_data_proved, stop);
  });
}

MetadataTurn PictureTurn::turn_in(std::span<const std::byte> result,
                                  const std::atomic<bool>& stop) {
  return of_result([&] { return found_turn_in(result, stop); });
}

MetadataTurn PictureTurn::found_turn_in(std::span<const std::byte> result,
                                        const std::atomic<bool>& stop) {
  expect_format(result);
  const Header header = format_->read_header(result);
  const auto rest_of = [&](Orientation applied) {
    if (applied != Orientation::identity && header.stored != Orientation::identity) {
      throw ProofError(fmt::format("its pixels are turned ({}), and its tag says {} all the same",
                                   name(applied), static_cast<int>(header.stored)));
    }
    MetadataTurn turn{.stored = header_.stored,
                      .pixels = applied,
                      .tag = header.stored,
                      .size = header.size(),
                      .untrimmed = header_.size()};
    prove_parts(*format_, file_, result, turn, options_.jpeg.edges, false, stop);
    return turn;
  };
  if (!format_->decode) return rest_of(first_that_holds(rest_of));
  PixelArena& arena = lane_->after_turns();
  std::optional<Orientation> applied;
  if (compressed_) {
    applied = compressed_->turn_in(result, arena, stop);
  } else {
    std::vector<std::string> unused;
    const Image found = format_->decode(result, Samples::as_stored, arena, stop, unused);
    applied = first_that_holds([&](Orientation each) {
      (header_.lossy ? prove_nearly_equal : prove_pixels)(decoded_, found, each, stop);
    });
  }
  return rest_of(*applied);
}

void PictureTurn::expect_format(std::span<const std::byte> result) const {
  if (codec_of_content(result, format_->suffixes.front()) != format_)
    throw ProofError(fmt::format("it is not a file of the format {}", format_->name));
}

// Reads the picture to where it was decoded for the turn.
void PictureTurn::read_again(const TurnOutcome& planned, const std::atomic<bool>& stop) try {
  lane_->clear();
  std::vector<std::string> unused;
  if (planned.route != Route::reencoded)
    compressed_->read_again(planned.applied, lane_->decoded(), stop);
  else if (format_->decode_otherwise)
    decoded_ = format_->decode_otherwise(file_, lane_->decoded(), stop);
  else
    decoded_ = format_->decode(file_, Samples::as_stored, lane_->decoded(), stop, unused);
} catch (const ImageFileError& error) {
  throw ProofError(fmt::format("its original, read once more: {}", error.what()));
}

void PictureTurn::prove_read(const TurnOutcome& planned, MetadataTurn turn,
                             std::span<const std::byte> result, bool is_data_proved,
                             const std::atomic<bool>& stop) {
  const auto expect = [](std::string_view what, const auto& expected, const auto& found) {
    if (found != expected)
      throw ProofError(fmt::format("{}: {} expected, {} found", what, expected, found));
  };
  if (planned.route == Route::copied) {
    if (!std::ranges::equal(result, file_)) throw ProofError("it is not the same as the original");
    return;
  }
  expect_format(result);
  const Header header = format_->read_header(result);
  expect("width", planned.size.width, header.width);
  expect("height", planned.size.height, header.height);
  expect("pages", header_.pages, header.pages);
  expect("orientation", static_cast<int>(turn.tag), static_cast<int>(header.stored));
  const bool is_tagged = planned.route == Route::tagged;
  turn.stored = header_.stored;  // what the file itself says, without its sidecars
  prove_parts(*format_, file_, result, turn, options_.jpeg.edges, is_tagged, stop);
  if (is_tagged || is_data_proved) return;
  if (planned.applied == alone_) read_again(planned, stop);
  // The pages of the turn, if there are any, are not needed any more.
  PixelArena& arena = lane_->after_turns();
  if (planned.route != Route::reencoded) {
    compressed_->prove(result, planned.applied, arena, stop);
    return;
  }
  std::vector<std::string> unused;
  const Image found = format_->decode(result, Samples::as_stored, arena, stop, unused);
  (header_.lossy ? prove_nearly_equal : prove_pixels)(decoded_, found, planned.applied, stop);
}

PictureTurn opened_in_memory(std::span<const std::byte> file, std::string_view suffix,
                             const PictureOptions& options) {
  const std::string lower = lower_suffix("x" + std::string(suffix));
  const Codec* codec = codec_of_content(file, lower);
  if (codec && codec->only_if_asked) {
    throw ImageFileError(
        "a camera raw file, which is not taken in memory; the program qturn takes it as a file");
  }
  try {
    return PictureTurn(file, lower, options);
  } catch (const LimitError& error) {
    throw ImageFileError(
        fmt::format("{}; the limit {} permits that", error.what(), error.hints().front().value));
  }
}

void warn_of_stale_metadata(const std::vector<std::string>& stale,
                            std::vector<std::string>& warnings) {
  if (stale.empty()) return;
  warnings.push_back(fmt::format("no longer true after the turn: {}", fmt::join(stale, ", ")));
}

std::string refusal_in_memory(const PictureTurn& picture, Orientation orientation,
                              bool allow_storage_change) {
  const std::string change = picture.storage_change(orientation);
  if (!change.empty() && picture.header().changes_only_if_allowed && !allow_storage_change) {
    return fmt::format("not turned, because {}; allow_storage_change permits that", change);
  }
  const TurnOutcome outcome = picture.plan(orientation);
  return outcome.route == Route::none ? outcome.message : std::string();
}

}  // namespace qturn
