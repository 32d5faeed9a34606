#include <qturn/transform.hpp>

#include "src/run/lane.hpp"

namespace qturn {
namespace {

class CpuLane : public Lane {
 public:
  explicit CpuLane(std::size_t keep_bytes)
      : decoded_(ordinary_memory, keep_bytes / 2), turned_(ordinary_memory, keep_bytes / 2) {}

  PixelArena& decoded() override { return decoded_; }

  void load(const Image& image) override { image_ = image; }

  Image turn(Orientation orientation) override {
    turned_.clear();
    Image result = image_;
    for (Page& page : result.pages) {
      const Page source = page;
      if (swaps_axes(orientation)) std::swap(page.width, page.height);
      page.pixels = turned_.take(page.bytes());
      transform(source.view(), page.view(), orientation);
    }
    return result;
  }

  void clear() override {
    image_ = {};
    decoded_.clear();
    turned_.clear();
  }

 private:
  Image image_;
  PixelArena decoded_;
  PixelArena turned_;
};

}  // namespace

std::unique_ptr<Lane> make_cpu_lane(std::size_t keep_bytes) {
  return std::make_unique<CpuLane>(keep_bytes);
}

}  // namespace qturn
