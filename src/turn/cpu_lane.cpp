#include <utility>

#include "src/picture/turn_in_bands.hpp"
#include "src/turn/lane.hpp"

namespace qturn {
namespace {

class CpuLane : public Lane {
 public:
  explicit CpuLane(std::size_t keep_bytes) : Lane(ordinary_memory, keep_bytes) {}

  PixelArena& decoded() override { return decoded_; }

  void load(const Image& image) override { image_ = image; }

  Image turn(Orientation orientation, const std::atomic<bool>& stop,
             std::vector<std::string>& /*warnings*/) override {
    turned_.clear();
    Image result = image_;
    for (Page& page : result.pages) {
      const Page source = page;
      const Orientation applied =
          compose(std::exchange(page.ahead, Orientation::identity), orientation);
      if (swaps_axes(applied)) std::swap(page.width, page.height);
      page.pixels = turned_.take(page.bytes());
      turn_in_bands(source.view(), page.view(), applied, stop);
    }
    return result;
  }

  void release_decoded() override {
    image_ = {};
    decoded_.release();
  }

  void clear() override {
    image_ = {};
    decoded_.clear();
    turned_.clear();
  }
};

}  // namespace

std::unique_ptr<Lane> make_cpu_lane(std::size_t keep_bytes) {
  return std::make_unique<CpuLane>(keep_bytes);
}

}  // namespace qturn
