#include "src/jpeg/turn.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "src/jpeg/hardware.hpp"
#include "src/jpeg/header.hpp"
#include "src/jpeg/markers.hpp"

namespace qturn {

JpegTurn::JpegTurn(std::span<const std::byte> file, const JpegOptions& options)
    : file_(file), options_(options), shape_(read_jpeg_shape(file)) {}

JpegRoute JpegTurn::route(Orientation applied) const {
  return applied == Orientation::identity ? JpegRoute::lossless
                                          : jpeg_route(shape_, applied, options_);
}

Size JpegTurn::turned_size(Orientation applied) const {
  switch (route(applied)) {
    case JpegRoute::tag:
      return shape_.size;  // nothing moves
    case JpegRoute::trim:
      return qturn::turned_size(applied, whole_blocks(shape_, applied));
    default:
      return qturn::turned_size(applied, shape_.size);
  }
}

std::optional<PlanarRequest> JpegTurn::request(std::span<const Orientation> applied,
                                               const std::atomic<bool>& stop) {
  std::vector<Orientation> planar;
  std::ranges::copy_if(applied, std::back_inserter(planar),
                       [&](Orientation each) { return is_planar(each); });
  if (planar.empty()) return std::nullopt;
  auto found = HardwareJpeg::of(file_, stop);
  if (!found) return std::nullopt;
  hardware_ = std::make_shared<const HardwareJpeg>(std::move(*found));
  std::erase_if(planar, [&](Orientation each) { return !hardware_->takes(each); });
  if (planar.empty()) return std::nullopt;
  PlanarRequest request = hardware_->request(planar);
  request.finish = [jpeg = hardware_, planar](std::size_t output, std::span<const std::byte> made,
                                              SpareBytes& spare) {
    return jpeg->finish(made, planar[output], spare);
  };
  return request;
}

void JpegTurn::accept(const PlanarRequest& request, std::vector<Bytes> made,
                      std::vector<std::string>& warnings) {
  for (std::size_t i = 0; i < made.size(); ++i) {
    made_[request.outputs[i].orientation] = std::move(made[i]);
  }
  hardware_->add_warnings(warnings);
}

std::size_t JpegTurn::end() const { return hardware_ ? hardware_->end() : jpeg_end(file_); }

std::uint64_t JpegTurn::bytes_needed(const Header& header,
                                     std::span<const Orientation> applied) const {
  const auto planar = [&](Orientation each) { return is_planar(each); };
  std::uint64_t bytes = 0;
  if (!std::ranges::all_of(applied, planar)) bytes += header.working_bytes;
  if (std::ranges::any_of(applied, planar)) {
    bytes += header.working_bytes + 2 * header.pixel_bytes_total;
  }
  return bytes;
}

void JpegTurn::read(std::span<const Orientation> applied, PixelArena& arena,
                    const std::atomic<bool>& stop, std::vector<std::string>& warnings) {
  const auto planar = [&](Orientation each) { return is_planar(each); };
  std::vector<std::string> same_as_before;
  if (std::ranges::any_of(applied, planar)) {
    planes_.emplace(file_, arena, stop, made_.empty() ? warnings : same_as_before);
  }
  if (!std::ranges::all_of(applied, planar)) {
    coefficients_.emplace(file_, arena, stop,
                          planes_ || !made_.empty() ? same_as_before : warnings);
  }
}

Bytes JpegTurn::turn(Orientation applied, const std::atomic<bool>& stop) {
  if (const auto found = made_.find(applied); found != made_.end()) {
    return std::move(found->second);
  }
  return is_planar(applied) ? planes_->turn(applied, stop) : coefficients_->turn(applied, stop);
}

Bytes turned_jpeg(std::span<const std::byte> file, Orientation orientation,
                  const JpegOptions& options) {
  const std::atomic<bool> never{false};
  std::vector<std::string> notes;
  PixelArena arena;
  JpegTurn turn(file, options);
  turn.read(std::span(&orientation, 1), arena, never, notes);
  return turn.turn(orientation, never);
}

Bytes turn_jpeg(std::span<const std::byte> file, Orientation orientation) {
  return turned_jpeg(file, orientation, {});
}

Bytes cropped_jpeg(std::span<const std::byte> file, Size size) {
  const std::atomic<bool> never{false};
  std::vector<std::string> notes;
  PixelArena arena;
  return JpegCoefficients(file, arena, never, notes).crop(size, never);
}

}  // namespace qturn
