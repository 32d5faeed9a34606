// The pictures that follow a JPEG's end in its file: previews and gain maps. Two lists know where
// they are, and a file may have both: MPF (CIPA DC-007), by offset and size, and Google's Container
// in the XMP, by order and length. A video (a motion photo) may be in the second one, or in none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/formats/jpeg/file/jpeg_file.hpp"
#include "src/metadata/metadata_turn.hpp"
#include "src/metadata/xmp.hpp"

namespace qturn::jpeg {

class TrailingPictures {
 public:
  /// Finds the pictures after the first one in `file`. A damaged list is ignored, and `warnings`
  /// says so. Throws ImageFileError if the file ends within one.
  TrailingPictures(const JpegFile& file, std::vector<std::string>& warnings);

  /// One of them, to be turned.
  struct Picture {
    std::span<const std::byte> jpeg;  ///< of Dynamic Depth also a PNG
    std::string_view name;            ///< for a message
    bool is_map;  ///< each point belongs to a point of the first picture, as in a gain map
  };
  using Turn = std::function<std::vector<std::byte>(const Picture&)>;

  /// The pictures that could be turned, in the order of the file.
  std::vector<Picture> pictures() const;

  /// What is to follow the picture after its turn, `first`: each JPEG after `turn`, videos turned
  /// like the view, and the bytes between as they were. If pixels were turned, throws
  /// ImageFileError for a picture that cannot be turned, by its name; otherwise it stays as it was.
  std::vector<std::byte> turned(const MetadataTurn& first, const Turn& turn,
                                std::vector<std::string>& warnings);

  /// The new lengths for the XMP's Container, one per item; empty without a Container.
  std::vector<std::uint64_t> container_lengths() const;

  /// Corrects offsets and sizes in the MPF segment of `jpeg`, which is the first picture alone.
  void patch_index(std::span<std::byte> jpeg) const;

 private:
  struct Listed {
    std::size_t at = 0, bytes = 0;          // in the source
    std::size_t new_at = 0, new_bytes = 0;  // after the end of the turned picture
    std::string name;                       // for a message
    bool is_video = false;
    bool is_map = true;
    std::string refusal;  // what it is, if it cannot be turned
  };

  void read_index(const std::vector<JpegSegment>& segments, std::vector<std::string>& warnings);
  void read_container(const std::vector<JpegSegment>& segments, std::vector<std::string>& warnings);
  void add(const Listed& listed);
  const Listed* find(std::size_t at) const;
  static std::size_t new_bytes(const Listed& listed, std::size_t listed_bytes);

  std::span<const std::byte> file_;
  std::size_t end_;
  std::vector<Listed> listed_;  // in the order of the file
  struct Indexed {
    std::size_t at, bytes;
  };
  std::vector<Indexed> index_;  // MPF's entries except for the first picture
  std::vector<ContainerItem> items_;
  std::vector<Indexed> item_places_;
};

/// What is left of a picture of this size whose points belong to points of the first one, if that
/// is trimmed; nothing if the trimmed edge would lie within a pixel.
std::optional<Size> trimmed_like_the_first(const MetadataTurn& first, Size size);

}  // namespace qturn::jpeg
