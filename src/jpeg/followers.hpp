// The pictures behind a JPEG's end: previews and gain maps. Two lists know where they are, and a
// file may have both: MPF (CIPA DC-007), by offset and size, and Google's Container in the XMP, by
// order and length.
#ifndef QTURN_SRC_JPEG_FOLLOWERS_HPP
#define QTURN_SRC_JPEG_FOLLOWERS_HPP

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/carriers/xmp.hpp"
#include "src/jpeg/markers.hpp"

namespace qturn {

class JpegFollowers {
 public:
  /// Finds them. `end` is where the first picture of `file` ends, `segments` are its header's.
  /// A list that is damaged is passed over, and `warnings` says so.
  JpegFollowers(std::span<const std::byte> file, const std::vector<JpegSegment>& segments,
                std::size_t end, std::vector<std::string>& warnings);

  /// One of them, to be turned.
  struct Picture {
    std::span<const std::byte> jpeg;
    std::string_view name;  ///< for a message
    bool is_map;            ///< belongs to the first picture point for point, as a gain map does
  };
  using Turn = std::function<std::vector<std::byte>(const Picture&)>;

  /// Those that could be turned, in the order of the file.
  std::vector<Picture> pictures() const;

  /// What is to follow the turned picture: each JPEG after `turn`, and the bytes between as they
  /// were. If `pixels_turned`, throws ImageFileError for a follower that cannot be turned, by its
  /// name; otherwise it stays as it was.
  std::vector<std::byte> turned(const Turn& turn, bool pixels_turned,
                                std::vector<std::string>& warnings);

  /// The lengths that the XMP's Container is to say, one for each of its items; empty without one.
  std::vector<std::uint64_t> container_lengths() const;

  /// Corrects offsets and sizes in the MPF segment of `jpeg`, which is the first picture alone.
  void patch_index(std::vector<std::byte>& jpeg) const;

 private:
  struct Follower {
    std::size_t at = 0, bytes = 0;          // in the source
    std::size_t new_at = 0, new_bytes = 0;  // behind the end of the turned picture
    std::string name;                       // for a message
    bool is_video = false;
    bool is_thumbnail = false;
    std::string refusal;  // what it is, if that cannot be turned
  };

  void read_index(const std::vector<JpegSegment>& segments, std::vector<std::string>& warnings);
  void read_container(const std::vector<JpegSegment>& segments, std::vector<std::string>& warnings);
  void add(const Follower& follower);
  const Follower* find(std::size_t at) const;
  static std::size_t new_bytes(const Follower& follower, std::size_t listed_bytes);

  std::span<const std::byte> file_;
  std::size_t end_;
  std::vector<Follower> followers_;  // in the order of the file
  struct Indexed {
    std::size_t at, bytes;
  };
  std::vector<Indexed> index_;  // MPF's entries but for the first picture
  std::vector<ContainerItem> items_;
  std::vector<Indexed> item_places_;
};

}  // namespace qturn

#endif  // QTURN_SRC_JPEG_FOLLOWERS_HPP
