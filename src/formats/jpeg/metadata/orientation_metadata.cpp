#include "src/formats/jpeg/metadata/orientation_metadata.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include <qturn/cpu.hpp>

#include "src/formats/jpeg/file/jpeg_file.hpp"
#include "src/formats/jpeg/metadata/trailing_pictures.hpp"
#include "src/formats/jpeg/turn.hpp"
#include "src/metadata/exif.hpp"
#include "src/metadata/exif_thumbnail.hpp"
#include "src/metadata/photoshop_resources.hpp"
#include "src/metadata/xmp.hpp"
#include "src/picture/bytes.hpp"
#include "src/picture/image.hpp"

namespace qturn::jpeg {
namespace {

// RFC 1321, section 3.4: the integer part of 2^32 |sin(i)|.
const std::array<std::uint32_t, 64> sines = [] {
  std::array<std::uint32_t, 64> table{};
  for (int i = 0; i < 64; ++i) {
    table[i] = static_cast<std::uint32_t>(std::floor(std::abs(std::sin(i + 1.0)) * 4294967296.0));
  }
  return table;
}();

void add_block(std::array<std::uint32_t, 4>& state, const char* block) {
  constexpr int shifts[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
  std::array<std::uint32_t, 16> words{};
  for (int i = 0; i < 64; ++i) {
    words[i / 4] |= std::uint32_t{static_cast<unsigned char>(block[i])} << 8 * (i % 4);
  }
  auto [a, b, c, d] = state;
  for (int i = 0; i < 64; ++i) {
    const int round = i / 16;
    const std::uint32_t mixed = round == 0   ? (b & c) | (~b & d)
                                : round == 1 ? (d & b) | (~d & c)
                                : round == 2 ? b ^ c ^ d
                                             : c ^ (b | ~d);
    constexpr int steps[] = {1, 5, 3, 7}, starts[] = {0, 1, 5, 0};
    const std::uint32_t sum = a + mixed + sines[i] + words[(steps[round] * i + starts[round]) % 16];
    a = d;
    d = c;
    c = b;
    b += std::rotl(sum, shifts[round][i % 4]);
  }
  state[0] += a;
  state[1] += b;
  state[2] += c;
  state[3] += d;
}

}  // namespace

std::string md5(std::string_view data) {
  std::array<std::uint32_t, 4> state = {0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476};
  std::size_t at = 0;
  for (; data.size() - at >= 64; at += 64) add_block(state, data.data() + at);
  std::string rest(data.substr(at));
  rest += '\x80';
  while (rest.size() % 64 != 56) rest += '\0';
  for (int i = 0; i < 8; ++i) {
    rest += static_cast<char>(std::uint64_t{data.size()} * 8 >> 8 * i & 0xFF);
  }
  for (std::size_t i = 0; i < rest.size(); i += 64) add_block(state, rest.data() + i);
  std::string digits;
  for (const std::uint32_t word : state) {
    for (int i = 0; i < 4; ++i) digits += fmt::format("{:02X}", word >> 8 * i & 0xFF);
  }
  return digits;
}

ExtendedXmp read_extended_xmp(const std::vector<JpegSegment>& segments) {
  ExtendedXmp extended;
  for (const JpegSegment& segment : segments) {
    const std::string_view text = text_of(segment.payload);
    if (segment.marker != jpeg_marker::app1 || !text.starts_with(extended_xmp_signature) ||
        text.size() < extended_xmp_part_at) {
      continue;
    }
    const std::string_view name = text.substr(
        extended_xmp_signature.size(), extended_xmp_length_at - extended_xmp_signature.size());
    if (extended.parts.empty()) extended.name = name;
    extended.damaged |=
        name != extended.name ||
        qturn::big_endian(segment.payload, extended_xmp_length_at + 4, 4) != extended.packet.size();
    extended.packet += text.substr(extended_xmp_part_at);
    extended.parts.push_back(&segment);
  }
  return extended;
}

namespace {
constexpr std::string_view photoshop_signature{"Photoshop 3.0\0", 14};
}  // namespace

bool is_photoshop(const JpegSegment& segment) {
  return segment.marker == jpeg_marker::app0 + 13 &&
         text_of(segment.payload).starts_with(photoshop_signature);
}

PhotoshopResources photoshop_resources(const std::vector<JpegSegment>& segments) {
  PhotoshopResources resources;
  for (const JpegSegment& segment : segments) {
    if (!is_photoshop(segment)) continue;
    resources.parts.push_back(&segment);
    append(resources.whole, segment.payload.subspan(photoshop_signature.size()));
  }
  return resources;
}

namespace {

using std::string_view_literals::operator""sv;

constexpr std::size_t max_payload = 65533;
using namespace jpeg_marker;
constexpr std::string_view jfif_signature = "JFIF\0"sv, jfxx_signature = "JFXX\0"sv;
constexpr std::size_t jfxx_head = jfxx_signature.size() + 1;

// Pixels of one or three bytes after their width and height, a byte each.
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

// One JPEG under way: what its segments become, by their offset. `turned` ends with the picture.
class Finisher {
 public:
  Finisher(const JpegFile& source, FileBytes turned, const MetadataTurn& turn,
           const TurnEmbedded& turn_following, MissingTag missing,
           std::vector<std::string>& warnings)
      : source_(source),
        jpeg_(std::move(turned)),
        segments_(jpeg_header_segments(jpeg_)),
        turn_(turn),
        turn_following_(turn_following),
        missing_(missing),
        warnings_(warnings) {}

  FileBytes finish() {
    TrailingPictures trailing(source_, warnings_);
    const Bytes rest = trailing.turned(
        turn_, [&](const auto& each) { return turned_trailing(each); }, warnings_);
    container_lengths_ = trailing.container_lengths();

    rename_extended_xmp();
    finish_photoshop();
    bool any_exif = false;
    for (const JpegSegment& segment : segments_) {
      if (is_exif(segment)) {
        finish_exif(segment, !std::exchange(any_exif, true));
      } else if (is_xmp(segment)) {
        finish_xmp(segment);
      } else if (segment.marker == app0) {
        finish_jfif(segment);
      }
    }
    const bool is_tagged = turn_.tag != Orientation::identity;
    if (!any_exif && is_tagged && missing_ == MissingTag::is_added) add_exif();
    assemble();
    trailing.patch_index(jpeg_);
    jpeg_.append(rest);
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
      if (!container_lengths_.empty()) packet = with_container_lengths(packet, container_lengths_);
      if (!extended_name_.empty()) packet = with_extended_name(packet, extended_name_);
    } catch (const ImageFileError&) {
      // turn_xmp says so.
    }
    warn_of_other_orientation(packet, turn_.stored, warnings_);
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
    // Blanks after the outermost element are not content.
    if (turned.size() < packet.size()) turned.resize(packet.size(), ' ');
    if (md5(packet) == extended.name) extended_name_ = md5(turned);
    const Bytes signature(parts.front()->payload.begin(), parts.front()->payload.begin() + head);
    spread(parts, bytes_of(turned), signature, [&](Bytes& payload, std::size_t at) {
      if (!extended_name_.empty())
        std::ranges::copy(
            bytes_of(extended_name_),
            payload.begin() + static_cast<std::ptrdiff_t>(extended_xmp_signature.size()));
      put_big_endian(payload, extended_xmp_length_at, 4, turned.size());
      put_big_endian(payload, extended_xmp_length_at + 4, 4, at);
    });
  }

  void finish_photoshop() {
    const PhotoshopResources resources = photoshop_resources(segments_);
    if (resources.parts.empty() || turn_.pixels == Orientation::identity) return;
    const Bytes turned = turn_photoshop_resources(resources.whole, turn_, warnings_);
    if (turned == resources.whole) return;
    spread(resources.parts, turned, bytes_of(photoshop_signature), [](Bytes&, std::size_t) {});
  }

  // Puts the content into these segments, after `head`, and what has no room into new ones after
  // them. finish(payload, at) completes the head of the part that begins at `at`.
  template <typename Finish>
  void spread(const std::vector<const JpegSegment*>& parts, std::span<const std::byte> content,
              std::span<const std::byte> head, Finish finish) {
    std::size_t at = 0;
    const auto next = [&](std::size_t payload_bytes) {
      const std::size_t count = std::min(payload_bytes - head.size(), content.size() - at);
      Bytes payload(head.begin(), head.end());
      finish(payload, at);
      append(payload, content.subspan(at, count));
      at += count;
      return payload;
    };
    for (const JpegSegment* part : parts)
      replace(*part, next(part == parts.back() ? max_payload : part->payload.size()));
    const JpegSegment& last = *parts.back();
    while (at < content.size()) {
      const Bytes payload = next(max_payload);
      Bytes& more = added_after_[last.offset];
      more.push_back(std::byte{0xFF});
      more.push_back(static_cast<std::byte>(last.marker));
      more.resize(more.size() + 2);
      put_big_endian(more, more.size() - 2, 2, payload.size() + 2);
      append(more, payload);
    }
  }

  void finish_jfif(const JpegSegment& segment) {
    Bytes payload = turned_jfif(segment.payload, turn_.pixels);
    if (const auto jpeg = jfif_thumbnail(segment.payload); !jpeg.empty())
      turn_jfif_thumbnail(jpeg, payload);
    replace(segment, std::move(payload));
  }

  void turn_jfif_thumbnail(std::span<const std::byte> jpeg, Bytes& payload) {
    try {
      const Orientation applied = turn_.turn_of(jpeg_thumbnail_size(jpeg));
      if (applied == Orientation::identity) return;
      const Bytes turned = turn_.turn_embedded(jpeg, applied);
      if (turned.size() > max_payload - jfxx_head)
        throw ImageFileError("it takes more bytes than before");
      payload.resize(jfxx_head);
      payload.insert(payload.end(), turned.begin(), turned.end());
    } catch (const ImageFileError& error) {
      warnings_.push_back(fmt::format("the JFIF thumbnail stays as it was: {}", error.what()));
    }
  }

  Bytes turned_trailing(const TrailingPictures::Picture& picture);

  // After JFIF's segments, which want to be first as well.
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

  // Where no segment changes its length, the file is patched, otherwise written again.
  void assemble() {
    bool same_lengths = added_.empty() && added_after_.empty();
    for (const JpegSegment& segment : segments_) {
      const auto found = replaced_.find(segment.offset);
      same_lengths &= found == replaced_.end() || found->second.size() == segment.payload.size();
    }
    if (same_lengths) {
      for (const auto& [at, payload] : replaced_) {
        std::ranges::copy(payload, jpeg_.begin() + at);
      }
      return;
    }
    Bytes made;
    made.reserve(jpeg_.size() + added_.size() + 1024);
    std::size_t done = 0;
    const auto copy_until = [&](std::size_t at) {
      if (done <= added_at_ && added_at_ <= at && !added_.empty()) {
        made.insert(made.end(), jpeg_.begin() + done, jpeg_.begin() + added_at_);
        made.insert(made.end(), added_.begin(), added_.end());
        added_.clear();
        done = added_at_;
      }
      made.insert(made.end(), jpeg_.begin() + done, jpeg_.begin() + at);
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
      append(made, added_after_[segment.offset]);
      done = segment.offset + segment.payload.size();
    }
    copy_until(jpeg_.size());
    jpeg_ = std::move(made);
  }

  const JpegFile& source_;
  FileBytes jpeg_;
  const std::vector<JpegSegment> segments_;
  const MetadataTurn& turn_;
  const TurnEmbedded& turn_following_;
  MissingTag missing_;
  std::vector<std::string>& warnings_;
  std::vector<std::uint64_t> container_lengths_;
  std::string extended_name_;
  std::map<std::size_t, Bytes> replaced_, added_after_;
  Bytes added_;
  std::size_t added_at_ = 0;
};

Bytes Finisher::turned_trailing(const TrailingPictures::Picture& picture) {
  if (!begins_as_jpeg(picture.jpeg)) {
    const Orientation applied = turn_.turn_of(*embedded_size(picture.jpeg));
    return applied == Orientation::identity ? Bytes(picture.jpeg.begin(), picture.jpeg.end())
                                            : turn_.turn_embedded(picture.jpeg, applied);
  }
  const JpegFile file(picture.jpeg);
  const JpegFile alone = file.without_trailing_data();
  const Size whole = file.size;
  const Orientation applied = turn_.turn_of(whole);
  Bytes turned(alone.bytes.begin(), alone.bytes.end());
  if (picture.is_map && turn_.old_size() != turn_.whole_size()) {
    const auto trimmed =
        applied == turn_.pixels ? trimmed_like_the_first(turn_, whole) : std::optional<Size>();
    if (trimmed) {
      turned = cropped_jpeg(alone.bytes, *trimmed);
    } else {
      warnings_.push_back(
          fmt::format("{} stays whole and covers what was trimmed: {}", picture.name,
                      applied == turn_.pixels ? "the edge would lie within its pixels"
                                              : "it is upright already"));
    }
  }
  if (applied != Orientation::identity) {
    turned = turn_following_(turned, applied);
    if (file.lacks_end) warnings_.push_back(fmt::format("{}: {}", picture.name, no_end_marker));
  }
  const Orientation own = orientation_in(file.segments);
  // A picture without a tag of its own is shown by the tag of the first one.
  const Orientation tag = applied == turn_.pixels ? turn_.tag : Orientation::identity;
  const MetadataTurn turn{.stored = own == Orientation::identity ? turn_.stored : own,
                          .pixels = applied,
                          .tag = tag,
                          .size = jpeg_size(turned).value_or(Size{}),
                          .turn_embedded = turn_.turn_embedded,
                          .untrimmed = whole};
  turned =
      Finisher(alone, std::move(turned), turn, turn_following_, MissingTag::stays_absent, warnings_)
          .finish();
  const auto after = file.trailing_data();
  turned.insert(turned.end(), after.begin(), after.end());
  return turned;
}

}  // namespace

Bytes turned_jfif(std::span<const std::byte> segment, Orientation applied) {
  const std::string_view text = text_of(segment);
  Bytes payload(segment.begin(), segment.end());
  if (text.starts_with(jfif_signature) && payload.size() >= 14) {
    const auto density = payload.begin() + 8;
    if (swaps_axes(applied)) std::swap_ranges(density, density + 2, density + 2);
    turn_small_picture(payload, 12, 14, 3, applied);
  } else if (text.starts_with(jfxx_signature) && payload.size() > 8) {
    const auto kind = std::to_integer<unsigned>(payload[5]);
    if (kind == 0x11) turn_small_picture(payload, 6, 8 + 768, 1, applied);
    if (kind == 0x13) turn_small_picture(payload, 6, 8, 3, applied);
  }
  return payload;
}

std::span<const std::byte> jfif_thumbnail(std::span<const std::byte> segment) {
  constexpr std::string_view jpeg = "JFXX\0\x10"sv;
  if (!text_of(segment).starts_with(jpeg)) return {};
  return segment.subspan(jfxx_head);
}

FileBytes finish_jpeg(const JpegFile& source, FileBytes turned, Orientation applied, Size size,
                      const TurnEmbedded& turn_embedded, const TurnEmbedded& turn_following,
                      std::vector<std::string>& warnings) {
  const MetadataTurn turn{.stored = orientation_in(source.segments),
                          .pixels = applied,
                          .tag = Orientation::identity,
                          .size = size,
                          .turn_embedded = turn_embedded,
                          .untrimmed = source.size};
  return Finisher(source, std::move(turned), turn, turn_following, MissingTag::stays_absent,
                  warnings)
      .finish();
}

Bytes retag_jpeg(std::span<const std::byte> bytes, Orientation tag, MissingTag missing,
                 const TurnEmbedded& turn_embedded, std::vector<std::string>& warnings) {
  const JpegFile file(bytes, unlimited);
  const MetadataTurn turn{.stored = orientation_in(file.segments),
                          .pixels = Orientation::identity,
                          .tag = tag,
                          .size = file.size,
                          .turn_embedded = turn_embedded};
  const auto picture = file.without_trailing_data().bytes;
  return Finisher(file, Bytes(picture.begin(), picture.end()), turn, turn_embedded, missing,
                  warnings)
      .finish();
}

}  // namespace qturn::jpeg
