// A JPEG that is turned to JPEGs: compressed bytes in, compressed bytes out.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "src/formats/codec/compressed_turn.hpp"
#include "src/formats/codec/jpeg_device.hpp"
#include "src/formats/jpeg/lossless.hpp"
#include "src/formats/jpeg/planar.hpp"
#include "src/formats/jpeg/route.hpp"
#include "src/picture/image.hpp"
#include "src/picture/pixel_arena.hpp"

namespace qturn::jpeg {

struct JpegFile;

class JpegTurn final : public CompressedTurn {
 public:
  /// Reads the header of `file`, which must outlive this. Throws as Codec::check_limits and
  /// Codec::read_header.
  JpegTurn(std::span<const std::byte> file, const JpegOptions& options, const Limits& limits = {});
  ~JpegTurn() override;

  Header header() const override { return header_; }
  Route route(Orientation applied) const override;
  std::string why_not(Orientation applied) const override;
  Size turned_size(Orientation applied) const override;
  std::optional<JpegRequest> request(std::span<const Orientation> applied) const override;
  void accept(const JpegRequest& request, JpegMade made,
              std::vector<std::string>& warnings) override;

  /// What its markers say: all of them once it was read, or a device has.
  const JpegFile& file() const;

  /// Whether a device has done this turn, or has read the file to its end without damage, which is
  /// all that a copy needs.
  bool is_made(Orientation applied) const override {
    return made_.contains(applied) || (is_read_ && applied == Orientation::identity);
  }

  /// Throws LimitError.
  std::uint64_t bytes_needed(std::span<const Orientation> applied) const override;

  /// Throws as JpegCoefficients; LimitError.
  void read(std::span<const Orientation> applied, PixelArena& arena, const std::atomic<bool>& stop,
            std::vector<std::string>& warnings) override;

  FileBytes turn(Orientation applied, const TurnEmbedded& turn_embedded,
                 const std::atomic<bool>& stop, std::vector<std::string>& warnings) override;

  void read_again(Orientation applied, PixelArena& arena, const std::atomic<bool>& stop) override;
  void prove(std::span<const std::byte> result, Orientation applied, PixelArena& arena,
             const std::atomic<bool>& stop) override;
  bool is_proved_by(const AskDevice& device, std::span<const std::byte> result,
                    Orientation applied) const override;
  std::optional<Orientation> turn_in(std::span<const std::byte> result, PixelArena& arena,
                                     const std::atomic<bool>& stop) override;
  std::uint64_t proof_bytes(std::span<const Orientation> applied) const override;

  /// The same without what follows the picture, and without new metadata.
  FileBytes turn(Orientation applied, const std::atomic<bool>& stop);

 private:
  /// A picture that follows the first one, a preview or a gain map, or lies in its XMP, a depth
  /// map.
  struct Smaller {
    std::string name;
    JpegShape shape;
    bool is_map;
  };
  void look_for_smaller();
  void add_smaller(std::span<const std::byte> jpeg, std::string name, bool is_map);
  std::uint64_t bytes_for_smaller() const;
  Route route_of(const Smaller& smaller, Orientation applied) const;
  /// The first that is not turned losslessly with the picture; null if all are.
  const Smaller* inexact_one(Orientation applied) const;
  /// How the pixels of the first picture are turned.
  Route own_route(Orientation applied) const;
  bool is_planar(Orientation applied) const { return own_route(applied) == Route::planar; }

  JpegOptions options_;
  std::unique_ptr<JpegDecoder> decoder_;  ///< which has read the header, and then all of the file
  JpegShape shape_;
  Header header_;
  std::vector<Smaller> smaller_;
  std::uint64_t most_pixels_in_text_ = 0;  ///< of a picture in XMP
  std::map<Orientation, FileBytes> made_;
  bool is_read_ = false;  ///< by a device
  std::optional<JpegCoefficients> coefficients_;
  std::optional<JpegPlanes> planes_;
};

/// Why a picture was left alone, or failed: for Route::skipped and Route::none.
inline constexpr const char* jpeg_not_exact =
    "cannot be turned without loss, because an edge cuts through a block";

/// One turn of a JPEG, by any route, without warnings and interruption. What follows the picture is
/// kept.
Bytes turned_jpeg(std::span<const std::byte> file, Orientation orientation,
                  const JpegOptions& options);

/// Turns a small JPEG inside another file: losslessly if that is exact, otherwise by its own
/// planes.
Bytes turn_embedded_jpeg(std::span<const std::byte> file, Orientation orientation);

/// The upper left part of a JPEG, losslessly: an edge at the right or below may cut through blocks.
Bytes cropped_jpeg(std::span<const std::byte> file, Size size);

}  // namespace qturn::jpeg
