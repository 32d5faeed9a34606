#include "kernels/src/resized_axis.hpp"

#include <stdexcept>
#include <string>

#include "kernels/src/planar_format.hpp"
#include "kernels/src/shapes.hpp"

namespace qturn {
namespace {

// What is resized, before the turn.
Size resized_size(const ResizedImage& image) {
  return turned_size(image.orientation, {image.dst.width, image.dst.height});
}

void check_side(std::int64_t side, std::int64_t least, const char* which) {
  if (side < least || side > most_resized_side) {
    throw std::invalid_argument(std::string(which) + " is " + std::to_string(side) + ", expected " +
                                std::to_string(least) + " to " + std::to_string(most_resized_side));
  }
}

void check_edges(float begin, float end, std::int64_t length, const char* which) {
  if (!(begin >= 0 && end >= begin && end <= static_cast<float>(length))) {
    throw std::invalid_argument(std::string("the box goes from ") + std::to_string(begin) + " to " +
                                std::to_string(end) + " of the " + std::to_string(length) + " " +
                                which + " of src");
  }
}

void check_sizes(const ResizedImage& image) {
  if (image.src.pixel_bytes < 1 || image.src.pixel_bytes > 3) {
    throw std::invalid_argument("src has pixels of " + std::to_string(image.src.pixel_bytes) +
                                " bytes, expected 1 to 3");
  }
  if (!is_valid(image.orientation)) refuse(image.orientation);
  check_side(image.src.width, 1, "the width of src");
  check_side(image.src.height, 1, "the height of src");
  check_side(image.dst.width, 0, "the width of dst");
  check_side(image.dst.height, 0, "the height of dst");
  check_edges(image.box.left, image.box.right, image.src.width, "columns");
  check_edges(image.box.top, image.box.bottom, image.src.height, "rows");
}

template <class Check>
int check_all(const ResizedImage* images, std::size_t count, ResizeRule rule, Check check) {
  if (rule.filter > ResizeFilter::bicubic || rule.order > PassOrder::pillow13) {
    throw std::invalid_argument("the filter is " + std::to_string(static_cast<int>(rule.filter)) +
                                ", expected 0 to 2, and the order of passes " +
                                std::to_string(static_cast<int>(rule.order)) + ", expected 0 or 1");
  }
  if (count == 0) return 1;
  if (images == nullptr) throw std::invalid_argument("images at address 0");
  const int pixel_bytes = images[0].src.pixel_bytes;
  for (std::size_t i = 0; i < count; ++i) {
    try {
      check_sizes(images[i]);
      if (images[i].src.pixel_bytes != pixel_bytes) {
        throw std::invalid_argument("src has pixels of " +
                                    std::to_string(images[i].src.pixel_bytes) +
                                    " bytes, image 0 has " + std::to_string(pixel_bytes));
      }
      check(images[i]);
    } catch (const std::invalid_argument& error) {
      throw std::invalid_argument("image " + std::to_string(i) + ": " + error.what());
    }
  }
  return pixel_bytes;
}

}  // namespace

ResizedAxes::ResizedAxes(const ResizedImage& image, ResizeRule rule) {
  const Size size = resized_size(image);
  const auto axis = [rule](std::int64_t length, std::int64_t results, float begin, float end) {
    return ResizedAxis{static_cast<int>(length), static_cast<int>(results), begin, end,
                       rule.filter};
  };
  x = axis(image.src.width, size.width, image.box.left, image.box.right);
  y = axis(image.src.height, size.height, image.box.top, image.box.bottom);
  const std::int64_t lower = image.src.height - size.height;
  rows_first =
      lower > 0 && (rule.order == PassOrder::pillow12 ? image.src.height > image.src.width * 100
                                                      : lower > (image.src.width - size.width) * 2);
}

int check_resized(const ResizedImage* images, std::size_t count, ResizeRule rule) {
  return check_all(images, count, rule, [](const ResizedImage&) {});
}

int check_resized(const ResizedImage* images, std::size_t count, ResizeRule rule,
                  const PlanarFormat& format) {
  if (format.src_type != SampleType::uint8) {
    throw std::invalid_argument("src_type is not uint8, and other samples are not resized");
  }
  if (count != 0 && images != nullptr) check_format(format, images[0].src.pixel_bytes);
  return check_all(images, count, rule, [&format](const ResizedImage& image) {
    check_view(image.src, "src");
    check_planes(image.src, image.dst, format);
  });
}

}  // namespace qturn
