// A lane: the buffers, and on a GPU the stream, that one image in flight owns. An image is decoded
// into the lane's memory, turned on the lane's device, and encoded from the lane's memory; lanes
// overlap because each has its own.
#ifndef QTURN_SRC_RUN_LANE_HPP
#define QTURN_SRC_RUN_LANE_HPP

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "src/formats/image.hpp"
#include "src/formats/pixel_arena.hpp"

namespace qturn {

class Lane {
 public:
  virtual ~Lane() = default;

  /// Where decode() puts the pages that are to be turned here.
  virtual PixelArena& decoded() = 0;

  /// Takes `image`, whose pages lie in decoded(), to the lane's device. Once an image, however
  /// often it is turned. May return before the copy has ended: the pages must stay as they are
  /// until the next turn() has returned.
  virtual void load(const Image& image) = 0;

  /// The loaded image with `orientation` applied to every page. Blocks until the pages can be read;
  /// they are valid until the next turn() or clear(). Throws CudaError when the device fails.
  virtual Image turn(Orientation orientation) = 0;

  /// Ends the life of all pages.
  virtual void clear() = 0;
};

/// A lane on the CPU, of whose memory at most `keep_bytes` stay allocated between images.
std::unique_ptr<Lane> make_cpu_lane(std::size_t keep_bytes);

/// A lane on CUDA device `device`, likewise with page-locked memory. Throws CudaError;
/// std::logic_error in a build without CUDA.
std::unique_ptr<Lane> make_cuda_lane(int device, std::size_t keep_bytes);

/// Lanes for all who hold a seat. Who holds none must have given its lane back, so that there is
/// always one.
class LanePool {
 public:
  explicit LanePool(std::vector<std::unique_ptr<Lane>> lanes) : lanes_(std::move(lanes)) {
    for (const auto& lane : lanes_) free_.push_back(lane.get());
  }

  /// The one that was used last: its memory is the warmest.
  Lane* take();
  void give_back(Lane* lane);

 private:
  std::vector<std::unique_ptr<Lane>> lanes_;
  std::mutex mutex_;
  std::vector<Lane*> free_;
};

}  // namespace qturn

#endif  // QTURN_SRC_RUN_LANE_HPP
