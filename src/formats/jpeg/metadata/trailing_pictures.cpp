#include "src/formats/jpeg/metadata/trailing_pictures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "src/formats/container/video_matrix.hpp"
#include "src/metadata/exif_thumbnail.hpp"
#include "src/metadata/tiff_structure.hpp"
#include "src/picture/image.hpp"

namespace qturn::jpeg {
namespace {

constexpr std::uint16_t entries_tag = 0xB002;
constexpr std::size_t index_entry_bytes = 16;

// CIPA DC-007, table 4: the lower three bytes of an image's attributes.
unsigned type_of(std::uint64_t attributes) { return static_cast<unsigned>(attributes & 0xFFFFFF); }

constexpr unsigned primary = 0x030000, original = 0x040000, gain_map = 0x050000;

// Whether each point belongs to a point of the first picture. Previews may be cropped, and so may
// an original that was kept (DC-007 of 2021), which is shown like the picture all the same.
bool is_map(unsigned type) { return type >> 16 != 1 && type != original; }

std::string refusal_of_type(unsigned type) {
  if (type == 0 || type == primary || type == gain_map || !is_map(type)) return {};
  if (type == 0x020001) return "a frame of a panorama";
  if (type == 0x020002) return "a frame of a stereo picture";
  if (type == 0x020003) return "a frame of a multi-angle picture";
  return fmt::format("a picture of type {:#08x}", type);
}

struct Index {
  std::size_t header_at;  // of its TIFF header in the file: offsets count from here
  TiffStructure tiff;
  TiffEntry entries;
};

std::optional<Index> find_index(const std::vector<JpegSegment>& segments, bool& damaged) {
  for (const JpegSegment& segment : segments) {
    if (!is_mpf(segment)) continue;
    const auto body = segment.payload.subspan(mpf_signature.size());
    if (const auto tiff = TiffStructure::open(body)) {
      const TiffEntries directory = tiff->directory(tiff->first_directory());
      const TiffEntry* entries = directory.find(entries_tag);
      if (entries && entries->value_bytes >= index_entry_bytes) {
        return Index{segment.offset + mpf_signature.size(), *tiff, *entries};
      }
    }
    damaged = true;
  }
  return std::nullopt;
}

// Whether a JPEG or a video begins there, and goes on after the end of the file. A list may also
// state a wrong place or length.
bool is_cut(std::span<const std::byte> rest) {
  const std::string_view text = text_of(rest);
  if (text.size() > 8 && text.substr(4, 4) == "ftyp") return true;
  if (!text.starts_with("\xFF\xD8\xFF")) return false;
  try {
    return JpegFile(rest).end == rest.size() && !text.ends_with("\xFF\xD9");
  } catch (const ImageFileError&) {
    return true;
  }
}

// A list may count the marker of a picture's end (EOI) where that is missing at the end of the
// file.
std::uint64_t without_missing_end(std::span<const std::byte> file, std::uint64_t at,
                                  std::uint64_t bytes) {
  constexpr std::uint64_t marker_bytes = 2;
  if (at >= file.size()) return bytes;
  const auto rest = file.subspan(static_cast<std::size_t>(at));
  if (bytes <= rest.size() || bytes - rest.size() > marker_bytes || !begins_as_jpeg(rest))
    return bytes;
  try {
    return JpegFile(rest, unlimited).lacks_end ? rest.size() : bytes;
  } catch (const ImageFileError&) {
    return bytes;
  }
}

void refuse_cut(std::span<const std::byte> file, std::uint64_t at, std::uint64_t bytes,
                const std::string& name) {
  if (at >= file.size() || bytes <= file.size() - at) return;
  const auto rest = file.subspan(static_cast<std::size_t>(at));
  if (!is_cut(rest)) return;
  throw ImageFileError(
      fmt::format("truncated: {} of {} bytes are there of {}", rest.size(), bytes, name));
}

}  // namespace

std::optional<Size> trimmed_like_the_first(const MetadataTurn& first, Size size) {
  const Size whole = first.whole_size(), left = first.old_size();
  const Size scaled{size.width * left.width, size.height * left.height};
  const bool is_exact = scaled.width % whole.width == 0 && scaled.height % whole.height == 0;
  if (!is_exact || scaled.width == 0 || scaled.height == 0) return std::nullopt;
  return Size{scaled.width / whole.width, scaled.height / whole.height};
}

TrailingPictures::TrailingPictures(const JpegFile& file, std::vector<std::string>& warnings)
    : file_(file.bytes), end_(file.end) {
  if (end_ == file_.size()) return;
  read_index(file.segments, warnings);
  read_container(file.segments, warnings);
  std::sort(listed_.begin(), listed_.end(),
            [](const Listed& a, const Listed& b) { return a.at < b.at; });
}

void TrailingPictures::read_index(const std::vector<JpegSegment>& segments,
                                  std::vector<std::string>& warnings) {
  bool damaged = false;
  const auto index = find_index(segments, damaged);
  if (index) {
    const auto number = [&](std::uint64_t at, std::size_t bytes) {
      return index->tiff.number(at, bytes);
    };
    for (std::uint64_t at = index->entries.value_at + index_entry_bytes;
         at + index_entry_bytes <= index->entries.value_at + index->entries.value_bytes;
         at += index_entry_bytes) {
      const std::uint64_t offset = number(at + 8, 4) + index->header_at;
      const std::uint64_t bytes = without_missing_end(file_, offset, number(at + 4, 4));
      index_.push_back({static_cast<std::size_t>(offset), static_cast<std::size_t>(bytes)});
      const std::string name = fmt::format("picture {} of the file", index_.size() + 1);
      if (offset >= end_) refuse_cut(file_, offset, bytes, name);
      if (offset < end_ || offset > file_.size() || bytes > file_.size() - offset || bytes == 0) {
        damaged = true;
        continue;
      }
      const unsigned type = type_of(number(at, 4));
      add({.at = index_.back().at,
           .bytes = index_.back().bytes,
           .name = name,
           .is_map = is_map(type),
           .refusal = refusal_of_type(type)});
    }
  }
  if (damaged) {
    warnings.emplace_back("the index of the pictures after the first (MPF) is damaged");
  }
}

void TrailingPictures::read_container(const std::vector<JpegSegment>& segments,
                                      std::vector<std::string>& warnings) {
  for (const JpegSegment& segment : segments) {
    if (!is_xmp(segment)) continue;
    try {
      items_ = container_items(xmp_packet(segment));
    } catch (const ImageFileError&) {
      continue;  // turn_xmp says so
    }
    if (!items_.empty()) break;
  }
  if (items_.empty()) return;
  std::uint64_t at = end_ + items_.front().padding;
  item_places_.push_back({0, end_});
  for (std::size_t i = 1; i < items_.size(); ++i) {
    ContainerItem& item = items_[i];
    item.length = without_missing_end(file_, at, item.length);
    const std::string name = fmt::format("what follows the picture ({})", item.semantic);
    refuse_cut(file_, at, item.length, name);
    if (at > file_.size() || item.length > file_.size() - at || item.length == 0) {
      warnings.emplace_back("the directory of what follows the picture (Container) is damaged");
      items_.clear();
      return;
    }
    item_places_.push_back({static_cast<std::size_t>(at), static_cast<std::size_t>(item.length)});
    const bool is_video = item.mime.starts_with("video/");
    const bool is_picture = item.mime == "image/jpeg" || item.mime == "image/png";
    add({.at = item_places_.back().at,
         .bytes = item_places_.back().bytes,
         .name = name,
         .is_video = is_video,
         .refusal = is_picture || is_video ? "" : item.mime});
    at += item.length + item.padding;
  }
}

void TrailingPictures::add(const Listed& listed) {
  for (Listed& known : listed_) {
    // The two lists may count padding differently.
    if (known.at == listed.at) {
      known.is_video |= listed.is_video;
      return;
    }
    if (known.at < listed.at + listed.bytes && listed.at < known.at + known.bytes) {
      known.refusal = "a picture that shares its bytes with another";
      return;
    }
  }
  listed_.push_back(listed);
}

std::vector<TrailingPictures::Picture> TrailingPictures::pictures() const {
  std::vector<Picture> found;
  for (const Listed& each : listed_) {
    if (each.is_video || !each.refusal.empty()) continue;
    found.push_back({file_.subspan(each.at, each.bytes), each.name, each.is_map});
  }
  return found;
}

Bytes TrailingPictures::turned(const MetadataTurn& first, const Turn& turn,
                               std::vector<std::string>& warnings) {
  const bool pixels_turned = first.pixels != Orientation::identity;
  const Orientation view = first.view();
  Bytes result;
  const auto append = [&](std::span<const std::byte> bytes) {
    result.insert(result.end(), bytes.begin(), bytes.end());
  };
  const auto turn_one = [&](const Listed& listed, std::span<const std::byte> bytes) {
    try {
      if (!listed.refusal.empty()) {
        throw ImageFileError(fmt::format("it is {}, which cannot be turned", listed.refusal));
      }
      if (!embedded_size(bytes))
        throw ImageFileError("it is not a JPEG or a PNG and cannot be turned");
      append(turn({bytes, listed.name, listed.is_map}));
    } catch (const ImageFileError& error) {
      if (pixels_turned) throw ImageFileError(fmt::format("{}: {}", listed.name, error.what()));
      append(bytes);
    }
  };
  const auto append_other = [&](std::span<const std::byte> bytes) {
    append(bytes);
    return turn_videos(std::span(result).last(bytes.size()), view, warnings);
  };
  std::size_t done = end_;
  bool any_video = false;
  for (Listed& listed : listed_) {
    if (listed.at < done) continue;  // shares bytes with the one before, whose message says so
    any_video |= append_other(file_.subspan(done, listed.at - done));
    listed.new_at = result.size();
    const auto bytes = file_.subspan(listed.at, listed.bytes);
    if (!listed.is_video) {
      turn_one(listed, bytes);
    } else if (!append_other(bytes) && view != Orientation::identity) {
      warnings.emplace_back(not_such_a_video);
    }
    listed.new_bytes = result.size() - listed.new_at;
    done = listed.at + listed.bytes;
  }
  const auto rest = file_.subspan(done);
  any_video |= append_other(rest);
  if (pixels_turned && listed_.empty() && !any_video && !all_zero(rest)) {
    warnings.push_back(
        fmt::format("{} bytes after the end of the picture are kept as they are", rest.size()));
  }
  return result;
}

const TrailingPictures::Listed* TrailingPictures::find(std::size_t at) const {
  const auto found = std::find_if(listed_.begin(), listed_.end(),
                                  [&](const Listed& listed) { return listed.at == at; });
  return found == listed_.end() ? nullptr : &*found;
}

std::size_t TrailingPictures::new_bytes(const Listed& listed, std::size_t listed_bytes) {
  // A list that counted bytes after the picture, or too few, still does.
  const std::size_t bytes = listed_bytes + listed.new_bytes;
  return bytes > listed.bytes ? bytes - listed.bytes : listed.new_bytes;
}

std::vector<std::uint64_t> TrailingPictures::container_lengths() const {
  std::vector<std::uint64_t> lengths;
  for (std::size_t i = 0; i < items_.size(); ++i) {
    const Listed* listed = find(item_places_[i].at);
    lengths.push_back(listed ? new_bytes(*listed, item_places_[i].bytes) : items_[i].length);
  }
  return lengths;
}

void TrailingPictures::patch_index(std::span<std::byte> jpeg) const {
  if (index_.empty()) return;
  bool damaged = false;
  const auto index = find_index(jpeg_header_segments(jpeg), damaged);
  if (!index) return;
  const auto body = jpeg.subspan(index->header_at);
  std::uint64_t at = index->entries.value_at;
  // If the size of the first picture includes what lies between it and the next, it still does.
  const std::uint64_t first_bytes = index->tiff.number(at + 4, 4);
  index->tiff.put(body, at + 4, 4, first_bytes + jpeg.size() - end_);
  for (const Indexed& indexed : index_) {
    at += index_entry_bytes;
    const Listed* listed = find(indexed.at);
    if (!listed) continue;
    index->tiff.put(body, at + 4, 4, new_bytes(*listed, indexed.bytes));
    index->tiff.put(body, at + 8, 4, jpeg.size() + listed->new_at - index->header_at);
  }
}

}  // namespace qturn::jpeg
