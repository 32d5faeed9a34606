// The header of a JPEG as a GPU needs it, read from its segments. All of it is inline, so that
// src/ reads headers with it also where nothing is built with CUDA.
#pragma once

#include <qturn/jpeg_header.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/jpeg/src/markers.hpp"
#include "kernels/jpeg/src/scans.hpp"
#include "kernels/jpeg/src/t81.hpp"

namespace qturn::jpeg {

/// What a GPU does not take, and its name: "arithmetic-coded JPEG".
struct RefusedFrame {
  JpegRefusal why;
  std::string name;
};

/// Nothing for a sequential frame with Huffman codes and 8 bits per sample. T.81, table B.1 has the
/// types. Of several reasons the rarest process is named.
inline std::optional<RefusedFrame> refusal_of(const JpegSegment& frame) {
  const int type = frame.marker - jpeg_marker::sof0;
  if (type % 4 == 3)
    return RefusedFrame{JpegRefusal::lossless, "lossless JPEG (a process of its own)"};
  if (type > 4 && type % 8 > 4) return RefusedFrame{JpegRefusal::hierarchical, "hierarchical JPEG"};
  if (type >= 8) return RefusedFrame{JpegRefusal::arithmetic, "arithmetic-coded JPEG"};
  if (!frame.payload.empty() && frame.payload[0] != std::byte{8}) {
    return RefusedFrame{JpegRefusal::sample_bits,
                        std::to_string(jpeg_marker::byte_at(frame.payload, 0)) + "-bit JPEG"};
  }
  if (type == 2) return RefusedFrame{JpegRefusal::progressive, "progressive JPEG"};
  return std::nullopt;
}

/// Gathers a header from its segments.
class HeaderReader {
 public:
  /// Throws JpegRefused.
  void take(const JpegSegment& segment) {
    using namespace jpeg_marker;
    const std::string_view text(reinterpret_cast<const char*>(segment.payload.data()),
                                segment.payload.size());
    // As many bytes as libjpeg wants of each.
    constexpr std::size_t jfif_bytes = 14, adobe_bytes = 12, transform_at = 11;
    if (segment.marker == app0 && text.size() >= jfif_bytes)
      has_jfif_ |= text.starts_with(std::string_view("JFIF\0", 5));
    if (segment.marker == app14 && text.size() >= adobe_bytes && text.starts_with("Adobe"))
      adobe_transform_ = byte_at(segment.payload, transform_at);
    if (segment.marker == dhp) refuse(JpegRefusal::hierarchical, "it is a hierarchical JPEG");
    if (segment.marker == dqt) define_steps(segment.payload);
    if (is_frame(segment.marker)) take_frame(segment);
    scans_.take(segment);
  }

  /// After the header of the first scan. Throws JpegRefused.
  JpegHeader header() const {
    if (scans_.scans().empty()) damaged("the header of its scan is damaged");
    const JpegScan& scan = scans_.scans().front();
    if (components_.empty()) damaged("a scan comes before the frame");
    if (scan.components.size() < components_.size())
      refuse(JpegRefusal::several_scans, "its components are in several scans");
    if (scan.components.size() > components_.size()) damaged("its scan has too many components");
    // libjpeg warns of other numbers.
    if (scan.first != 0 || scan.last != 63 || scan.high != 0 || scan.low != 0)
      damaged("its scan holds other coefficients than the frame");
    JpegHeader header;
    header.scan.size = size_;
    header.scan.restart_interval = scan.restart_interval;
    header.data_at = scan.data_at;
    std::vector<int> names;
    for (const JpegScanComponent& coded : scan.components) {
      add(coded, header);
      names.push_back(coded.id);
    }
    header.is_ycbcr = is_ycbcr(names);
    check_mcu(header.scan);
    return header;
  }

  [[noreturn]] static void refuse(JpegRefusal why, const std::string& what) {
    throw JpegRefused(why, what);
  }
  [[noreturn]] static void damaged(const std::string& what) {
    refuse(JpegRefusal::damaged_header, what);
  }

 private:
  struct FrameComponent {
    int id, h, v;
    std::size_t slot;
  };

  // A DQT segment may define several tables, of bytes or of words, in zigzag order.
  void define_steps(std::span<const std::byte> tables) {
    while (!tables.empty()) {
      const unsigned char which = jpeg_marker::byte_at(tables, 0);
      const std::size_t step_bytes = which < 16 ? 1 : 2, size = 1 + 64 * step_bytes;
      if (which % 16 >= steps_.size() || tables.size() < size)
        damaged("a quantisation table is cut");
      JpegSteps& steps = steps_[which % 16].emplace();
      for (std::size_t k = 0; k < 64; ++k) {
        steps[zigzag[k]] =
            static_cast<std::uint16_t>(step_bytes == 1 ? jpeg_marker::byte_at(tables, 1 + k)
                                                       : jpeg_marker::word_at(tables, 1 + 2 * k));
      }
      tables = tables.subspan(size);
    }
  }

  void take_frame(const JpegSegment& frame) {
    if (const auto refused = refusal_of(frame)) {
      const bool vowel = refused->why == JpegRefusal::arithmetic;
      refuse(refused->why, (vowel ? "it is an " : "it is a ") + refused->name);
    }
    constexpr std::size_t fixed = 6, each = 3;
    if (!components_.empty()) damaged("it has two frames");
    if (frame.payload.size() < fixed) damaged("its frame is cut");
    const std::size_t count = jpeg_marker::byte_at(frame.payload, fixed - 1);
    if (frame.payload.size() != fixed + each * count) damaged("its frame is cut");
    if (count < 1 || count > most_components)
      refuse(JpegRefusal::components,
             "it has " + std::to_string(count) + " components, not 1 to 4");
    size_ = size_in_frame(frame);
    if (size_.height == 0) refuse(JpegRefusal::no_size, "its height is not in its header");
    if (size_.width == 0) damaged("it has a width of 0");
    for (std::size_t at = fixed; at < frame.payload.size(); at += each) {
      const int factors = jpeg_marker::byte_at(frame.payload, at + 1);
      components_.push_back({jpeg_marker::byte_at(frame.payload, at), factors / 16, factors % 16,
                             jpeg_marker::byte_at(frame.payload, at + 2)});
    }
  }

  void add(const JpegScanComponent& coded, JpegHeader& header) const {
    const auto place = static_cast<std::size_t>(header.scan.components++);
    const auto is_it = [&](const FrameComponent& component) { return component.id == coded.id; };
    const auto found = std::ranges::find_if(components_, is_it);
    if (found == components_.end()) damaged("its scan names a component that the frame lacks");
    if (found->slot >= steps_.size() || !steps_[found->slot])
      refuse(JpegRefusal::tables, "a quantisation table is missing");
    if (!coded.dc || !coded.ac) refuse(JpegRefusal::tables, "a Huffman table is missing");
    header.scan.component[place] = {found->h, found->v, *coded.dc, *coded.ac};
    header.steps[place] = *steps_[found->slot];
    header.dc_table[place] = static_cast<std::uint8_t>(coded.dc_slot);
    header.ac_table[place] = static_cast<std::uint8_t>(coded.ac_slot);
  }

  // `names`: the components in the order of the scan, which is also the order of the planes.
  bool is_ycbcr(const std::vector<int>& names) const {
    if (names.size() != 3) return false;
    for (std::size_t i = 0; i < names.size(); ++i)
      if (names[i] != components_[i].id) return false;
    if (has_jfif_) return true;
    if (adobe_transform_) return *adobe_transform_ != 0;
    return names != std::vector<int>{'R', 'G', 'B'};
  }

  static void check_mcu(const JpegScanLayout& scan) {
    int blocks = 0;
    for (int i = 0; i < scan.components; ++i) {
      const auto& component = scan.component[i];
      if (component.h < 1 || component.h > 4 || component.v < 1 || component.v > 4) {
        refuse(JpegRefusal::components, "it has sampling factors of " +
                                            std::to_string(component.h) + "x" +
                                            std::to_string(component.v) + ", not 1 to 4");
      }
      blocks += component.h * component.v;
    }
    if (scan.components > 1 && blocks > static_cast<int>(most_blocks_in_mcu)) {
      refuse(JpegRefusal::components,
             "it has " + std::to_string(blocks) + " blocks in an MCU, not up to 10");
    }
  }

  std::array<std::optional<JpegSteps>, 4> steps_;
  Size size_;
  std::vector<FrameComponent> components_;
  bool has_jfif_ = false;
  std::optional<int> adobe_transform_;
  JpegScanReader scans_;
};

/// Throws JpegRefused. Whether Huffman tables are sound is not looked at.
inline JpegHeader header_of_scan(std::span<const std::byte> file) {
  if (!begins_as_jpeg(file)) HeaderReader::refuse(JpegRefusal::not_a_jpeg, "it is not a JPEG");
  HeaderReader reader;
  JpegMarkers markers(file);
  for (auto segment = markers.next(); segment; segment = markers.next()) {
    if (segment->marker == jpeg_marker::eoi) break;
    reader.take(*segment);
    if (segment->marker == jpeg_marker::sos) return reader.header();
  }
  HeaderReader::damaged("it ends before its scan");
}

}  // namespace qturn::jpeg
