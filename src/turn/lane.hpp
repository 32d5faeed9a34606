// A lane: the buffers, and on a GPU the stream, that one image in flight owns. An image is decoded
// into the lane's memory, turned on the lane's device, and encoded from the lane's memory; lanes
// overlap because each has its own.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <qturn/pictures.hpp>

#include "src/picture/image.hpp"
#include "src/picture/pixel_arena.hpp"

namespace qturn {

class Lane {
 public:
  virtual ~Lane() = default;

  /// Where decode() puts the pages that are to be turned here.
  virtual PixelArena& decoded() = 0;

  /// Takes `image`, whose pages lie in decoded(), to the lane's device. Call it once per image,
  /// however often the image is turned. May return before the copy has ended: the pages must stay
  /// as they are until the next turn() has returned.
  virtual void load(const Image& image) = 0;

  /// The loaded image with `orientation` applied to every page, after what Page::ahead says. Blocks
  /// until the pages can be read; they are valid until the next turn() or clear(). `warnings`
  /// receives what went wrong with the device, if the image was turned elsewhere. Throws
  /// Interrupted.
  virtual Image turn(Orientation orientation, const std::atomic<bool>& stop,
                     std::vector<std::string>& warnings) = 0;

  /// Memory for a caller that needs no turned page any more. Pages of the last turn() end.
  PixelArena& after_turns() {
    turned_.clear();
    return turned_;
  }

  /// Gives the memory of the pages in decoded() back to the system. The turned ones stay valid;
  /// turn() must not be called again for this image.
  virtual void release_decoded() = 0;

  /// Ends the life of all pages.
  virtual void clear() = 0;

  /// Memory that is kept for the next image.
  std::size_t kept_bytes() const { return decoded_.kept_bytes() + turned_.kept_bytes(); }

  /// Gives back to the system what is kept beyond this.
  void keep_at_most(std::size_t bytes) {
    turned_.keep_at_most(bytes);
    decoded_.keep_at_most(bytes - turned_.kept_bytes());
  }

 protected:
  Lane(const BlockSource& source, std::size_t keep_bytes)
      : decoded_(source, keep_bytes / 2), turned_(source, keep_bytes / 2) {}

  Image image_;  ///< the loaded one
  PixelArena decoded_, turned_;
};

/// A lane on the CPU. At most `keep_bytes` of its memory stay allocated between images.
std::unique_ptr<Lane> make_cpu_lane(std::size_t keep_bytes);

// turn() of <qturn/pictures.hpp> for a caller that has a lane for one picture after the other.

/// The same, in the memory of `lane`, which afterwards keeps at most `kept_bytes` for the next
/// picture, also where this throws.
Turned turn_in(Lane& lane, std::size_t kept_bytes, std::span<const std::byte> file,
               Orientation orientation, const TurnOptions& options);

}  // namespace qturn
