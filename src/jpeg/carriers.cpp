#include "src/jpeg/carriers.hpp"

#include <fmt/format.h>
#include <qturn/transform.hpp>

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "src/carriers/exif.hpp"
#include "src/carriers/exif_thumbnail.hpp"
#include "src/carriers/md5.hpp"
#include "src/carriers/xmp.hpp"
#include "src/formats/image.hpp"
#include "src/jpeg/extended_xmp.hpp"
#include "src/jpeg/followers.hpp"
#include "src/jpeg/markers.hpp"
#include "src/jpeg/turn.hpp"

namespace qturn {
namespace {

using Bytes = std::vector<std::byte>;
using std::string_view_literals::operator""sv;

constexpr std::size_t max_payload = 65533;
constexpr unsigned char app0 = 0xE0, app1 = 0xE1, app11 = 0xEB;
constexpr std::string_view jfif_signature = "JFIF\0"sv, jfxx_signature = "JFXX\0"sv;

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

Orientation stored_in(const std::vector<JpegSegment>& segments) {
  for (const JpegSegment& segment : segments) {
    if (is_exif(segment)) return orientation_of_exif(segment.payload);
  }
  return Orientation::identity;
}

// Pixels of one or three bytes behind their width and height, a byte each.
void turn_small_picture(Bytes& payload, std::size_t size_at, std::size_t pixels_at, int channels,
                        Orientation orientation) {
  if (payload.size() < pixels_at) return;
  const auto side = [&](std::size_t at) { return std::to_integer<std::int64_t>(payload[at]); };
  const std::int64_t width = side(size_at), height = side(size_at + 1);
  const auto bytes = static_cast<std::size_t>(width * height * channels);
  if (bytes == 0 || payload.size() - pixels_at < bytes) return;
  std::byte* pixels = payload.data() + pixels_at;
  const Bytes old(pixels, pixels + bytes);
  const Size now = turned_size(orientation, {width, height});
  transform({old.data(), width, height, width * channels, channels},
            {pixels, now.width, now.height, now.width * channels, channels}, orientation);
  payload[size_at] = static_cast<std::byte>(now.width);
  payload[size_at + 1] = static_cast<std::byte>(now.height);
}

// One JPEG under way: what its segments become, by their offset. `end` is where the picture in
// `source` ends.
class Finisher {
 public:
  Finisher(std::span<const std::byte> source, std::size_t end, Bytes turned,
           const CarrierTurn& turn, MissingTag missing, std::vector<std::string>& warnings)
      : source_(source),
        end_(end),
        jpeg_(std::move(turned)),
        segments_(jpeg_header_segments(jpeg_)),
        turn_(turn),
        missing_(missing),
        warnings_(warnings) {}

  Bytes finish() {
    JpegFollowers followers(source_, jpeg_header_segments(source_), end_, warnings_);
    const Bytes rest =
        followers.turned([&](const auto& picture) { return turned_follower(picture); },
                         turn_.pixels != Orientation::identity, warnings_);
    container_lengths_ = followers.container_lengths();

    rename_extended_xmp();
    bool any_exif = false, any_manifest = false;
    for (const JpegSegment& segment : segments_) {
      if (is_exif(segment)) {
        finish_exif(segment, !std::exchange(any_exif, true));
      } else if (is_xmp(segment)) {
        finish_xmp(segment);
      } else if (segment.marker == app0 && turn_.pixels != Orientation::identity) {
        finish_jfif(segment);
      }
      any_manifest |= segment.marker == app11 &&
                      text_of(segment.payload).substr(0, 64).find("c2pa") != std::string_view::npos;
    }
    if (any_manifest || names_manifest_) {
      warnings_.emplace_back("its signed manifest (C2PA) no longer holds");
    }
    const bool is_tagged = turn_.tag != Orientation::identity;
    if (!any_exif && is_tagged && missing_ == MissingTag::is_added) add_exif();
    assemble();
    followers.patch_index(jpeg_);
    jpeg_.insert(jpeg_.end(), rest.begin(), rest.end());
    return std::move(jpeg_);
  }

 private:
  void replace(const JpegSegment& segment, Bytes payload) {
    replaced_[segment.offset] = std::move(payload);
  }

  void finish_exif(const JpegSegment& segment, bool is_first) {
    replace(segment,
            turn_exif(segment.payload, turn_, is_first ? missing_ : MissingTag::stays_absent,
                      max_payload, warnings_));
  }

  void finish_xmp(const JpegSegment& segment) {
    std::string packet(xmp_packet(segment));
    try {
      names_manifest_ |= read_xmp(packet).names_manifest;
      if (!container_lengths_.empty()) packet = with_container_lengths(packet, container_lengths_);
      if (!extended_name_.empty()) packet = with_extended_name(packet, extended_name_);
    } catch (const ImageFileError&) {
      // turn_xmp says so.
    }
    packet = turn_xmp(packet, turn_, warnings_);
    if (packet.size() > max_payload - xmp_signature.size()) {
      warnings_.emplace_back("its XMP is full and stays as it was");
      return;
    }
    Bytes payload(bytes_of(xmp_signature).begin(), bytes_of(xmp_signature).end());
    payload.insert(payload.end(), bytes_of(packet).begin(), bytes_of(packet).end());
    replace(segment, std::move(payload));
  }

  void rename_extended_xmp() {
    const ExtendedXmp extended = read_extended_xmp(segments_);
    const std::vector<const JpegSegment*>& parts = extended.parts;
    const std::string& packet = extended.packet;
    constexpr std::size_t head = extended_xmp_part_at;
    if (extended.damaged) {
      warnings_.emplace_back("its extended XMP is damaged and stays as it was");
      return;
    }
    if (parts.empty()) return;
    std::string turned = turn_xmp(packet, turn_, warnings_);
    if (turned == packet) return;
    // Blanks behind the outermost element are no content.
    if (turned.size() < packet.size()) turned.resize(packet.size(), ' ');
    const std::size_t more = turned.size() - packet.size();
    if (parts.back()->payload.size() + more > max_payload) {
      warnings_.emplace_back("its extended XMP is full and stays as it was");
      return;
    }
    if (md5(packet) == extended.name) extended_name_ = md5(turned);
    std::size_t at = 0;
    for (const JpegSegment* part : parts) {
      Bytes payload(part->payload.begin(), part->payload.end());
      if (part == parts.back()) payload.insert(payload.end(), more, std::byte{0});
      if (!extended_name_.empty()) {
        std::ranges::copy(
            bytes_of(extended_name_),
            payload.begin() + static_cast<std::ptrdiff_t>(extended_xmp_signature.size()));
      }
      put_be32(payload, extended_xmp_length_at, turned.size());
      const auto text = bytes_of(turned).subspan(at, payload.size() - head);
      std::ranges::copy(text, payload.begin() + static_cast<std::ptrdiff_t>(head));
      at += text.size();
      replace(*part, std::move(payload));
    }
  }

  static void put_be32(Bytes& bytes, std::size_t at, std::size_t value) {
    for (int i = 3; i >= 0; --i, value >>= 8) {
      bytes[at + i] = static_cast<std::byte>(value & 0xFF);
    }
  }

  void finish_jfif(const JpegSegment& segment) {
    const std::string_view text = text_of(segment.payload);
    Bytes payload(segment.payload.begin(), segment.payload.end());
    if (text.starts_with(jfif_signature) && payload.size() >= 14) {
      const auto density = payload.begin() + 8;
      if (swaps_axes(turn_.pixels)) std::swap_ranges(density, density + 2, density + 2);
      turn_small_picture(payload, 12, 14, 3, turn_.pixels);
    } else if (text.starts_with(jfxx_signature) && payload.size() > 8) {
      const unsigned kind = std::to_integer<unsigned>(payload[5]);
      if (kind == 0x10) turn_jfxx_jpeg(payload);
      if (kind == 0x11) turn_small_picture(payload, 6, 8 + 768, 1, turn_.pixels);
      if (kind == 0x13) turn_small_picture(payload, 6, 8, 3, turn_.pixels);
    }
    replace(segment, std::move(payload));
  }

  void turn_jfxx_jpeg(Bytes& payload) {
    constexpr std::size_t head = 6;
    try {
      const Bytes turned = turn_.turn_jpeg(std::span(payload).subspan(head), turn_.pixels);
      if (turned.size() > max_payload - head)
        throw ImageFileError("it takes more bytes than before");
      payload.resize(head);
      payload.insert(payload.end(), turned.begin(), turned.end());
    } catch (const ImageFileError& error) {
      warnings_.push_back(fmt::format("the JFIF thumbnail stays as it was: {}", error.what()));
    }
  }

  Bytes turned_follower(const JpegFollowers::Picture& follower);
  std::optional<Size> trimmed_like_the_first(Size size) const;

  // Behind JFIF's segments, which want to be first as well.
  void add_exif() {
    const Bytes body = minimal_exif(turn_.tag);
    const std::size_t length = 2 + exif_signature.size() + body.size();
    added_ = {std::byte{0xFF}, std::byte{app1}};
    added_.push_back(static_cast<std::byte>(length >> 8));
    added_.push_back(static_cast<std::byte>(length & 0xFF));
    added_.insert(added_.end(), bytes_of(exif_signature).begin(), bytes_of(exif_signature).end());
    added_.insert(added_.end(), body.begin(), body.end());
    added_at_ = 2;
    for (const JpegSegment& segment : segments_) {
      if (segment.marker != app0) break;
      added_at_ = segment.offset + segment.payload.size();
    }
  }

  // Where no segment changes its length, the file is patched, otherwise written anew.
  void assemble() {
    bool same_lengths = added_.empty();
    for (const JpegSegment& segment : segments_) {
      const auto found = replaced_.find(segment.offset);
      same_lengths &= found == replaced_.end() || found->second.size() == segment.payload.size();
    }
    if (same_lengths) {
      for (const auto& [at, payload] : replaced_) {
        std::ranges::copy(payload, jpeg_.begin() + static_cast<std::ptrdiff_t>(at));
      }
      return;
    }
    Bytes made;
    made.reserve(jpeg_.size() + added_.size() + 1024);
    std::size_t done = 0;
    const auto copy_until = [&](std::size_t at) {
      if (done <= added_at_ && added_at_ <= at && !added_.empty()) {
        made.insert(made.end(), jpeg_.begin() + static_cast<std::ptrdiff_t>(done),
                    jpeg_.begin() + static_cast<std::ptrdiff_t>(added_at_));
        made.insert(made.end(), added_.begin(), added_.end());
        added_.clear();
        done = added_at_;
      }
      made.insert(made.end(), jpeg_.begin() + static_cast<std::ptrdiff_t>(done),
                  jpeg_.begin() + static_cast<std::ptrdiff_t>(at));
      done = at;
    };
    for (const JpegSegment& segment : segments_) {
      const auto found = replaced_.find(segment.offset);
      if (found == replaced_.end()) continue;
      copy_until(segment.offset - 2);
      const std::size_t length = found->second.size() + 2;
      made.push_back(static_cast<std::byte>(length >> 8));
      made.push_back(static_cast<std::byte>(length & 0xFF));
      made.insert(made.end(), found->second.begin(), found->second.end());
      done = segment.offset + segment.payload.size();
    }
    copy_until(jpeg_.size());
    jpeg_ = std::move(made);
  }

  std::span<const std::byte> source_;
  std::size_t end_;
  Bytes jpeg_;
  const std::vector<JpegSegment> segments_;
  const CarrierTurn& turn_;
  MissingTag missing_;
  std::vector<std::string>& warnings_;
  std::vector<std::uint64_t> container_lengths_;
  std::string extended_name_;
  bool names_manifest_ = false;
  std::map<std::size_t, Bytes> replaced_;
  Bytes added_;
  std::size_t added_at_ = 0;
};

// What is left of a picture of this size that belongs to the first one point for point, where that
// was trimmed; nothing where the trimmed edge would lie within a pixel.
std::optional<Size> Finisher::trimmed_like_the_first(Size size) const {
  const Size whole = turn_.whole_size(), left = turn_.old_size();
  const Size scaled{size.width * left.width, size.height * left.height};
  const bool is_exact = scaled.width % whole.width == 0 && scaled.height % whole.height == 0;
  if (!is_exact || scaled.width == 0 || scaled.height == 0) return std::nullopt;
  return Size{scaled.width / whole.width, scaled.height / whole.height};
}

Bytes Finisher::turned_follower(const JpegFollowers::Picture& follower) {
  const auto picture = follower.jpeg.first(jpeg_end(follower.jpeg));
  const auto behind = follower.jpeg.subspan(picture.size());
  const Size whole = *jpeg_size(follower.jpeg);
  const Orientation applied = turn_.turn_of(whole);
  Bytes turned(picture.begin(), picture.end());
  Size size = whole;
  if (follower.is_map && turn_.old_size() != turn_.whole_size()) {
    const auto trimmed =
        applied == turn_.pixels ? trimmed_like_the_first(whole) : std::optional<Size>();
    if (trimmed) {
      size = *trimmed;
      turned = cropped_jpeg(picture, size);
    } else {
      warnings_.push_back(
          fmt::format("{} stays whole and covers what was trimmed: {}", follower.name,
                      applied == turn_.pixels ? "the edge would lie within its pixels"
                                              : "it is upright already"));
    }
  }
  const Orientation own = stored_in(jpeg_header_segments(picture));
  // A picture without a tag of its own is shown by the first one's.
  const Orientation tag = applied == turn_.pixels ? turn_.tag : Orientation::identity;
  const CarrierTurn turn{.stored = own == Orientation::identity ? turn_.stored : own,
                         .pixels = applied,
                         .tag = tag,
                         .size = turned_size(applied, size),
                         .turn_jpeg = turn_.turn_jpeg,
                         .untrimmed = whole};
  if (applied != Orientation::identity) turned = turn_.turn_jpeg(turned, applied);
  turned = Finisher(picture, picture.size(), std::move(turned), turn, MissingTag::stays_absent,
                    warnings_)
               .finish();
  turned.insert(turned.end(), behind.begin(), behind.end());
  return turned;
}

}  // namespace

Bytes finish_jpeg(std::span<const std::byte> source, std::size_t end, Bytes turned,
                  Orientation applied, Size size, const TurnJpeg& turn_jpeg,
                  std::vector<std::string>& warnings) {
  const CarrierTurn turn{.stored = stored_in(jpeg_header_segments(source)),
                         .pixels = applied,
                         .tag = Orientation::identity,
                         .size = size,
                         .turn_jpeg = turn_jpeg,
                         .untrimmed = jpeg_size(source).value_or(Size{})};
  // What follows the picture in `turned`, if it does already, is taken from the source.
  if (end < source.size()) turned.resize(jpeg_end(turned));
  return Finisher(source, end, std::move(turned), turn, MissingTag::stays_absent, warnings)
      .finish();
}

Bytes retag_jpeg(std::span<const std::byte> file, Orientation tag, MissingTag missing,
                 const TurnJpeg& turn_jpeg, std::vector<std::string>& warnings) {
  const auto picture = file.first(jpeg_end(file));
  const CarrierTurn turn{.stored = stored_in(jpeg_header_segments(file)),
                         .pixels = Orientation::identity,
                         .tag = tag,
                         .size = jpeg_size(file).value_or(Size{}),
                         .turn_jpeg = turn_jpeg};
  return Finisher(file, picture.size(), Bytes(picture.begin(), picture.end()), turn, missing,
                  warnings)
      .finish();
}

}  // namespace qturn
