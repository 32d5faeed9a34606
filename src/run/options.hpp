// How a run turns pictures, and with what.
#pragma once

#include <qturn/orientation.hpp>
#include <qturn/pictures.hpp>

#include <cstdint>
#include <memory>
#include <optional>

#include "src/gpu/device.hpp"
#include "src/labels/one/label.hpp"
#include "src/picture/file_limits.hpp"
#include "src/sample/label_turn.hpp"
#include "src/sample/sidecars.hpp"

namespace qturn {

struct RunOptions {
  /// Is applied to each picture as a viewer shows it; for `upright` it is the identity. The variant
  /// of an output is applied after it.
  Orientation orientation = Orientation::identity;
  bool in_place = false;
  Sidecars sidecars = Sidecars::ignore;  ///< XMP files beside pictures
  Believe believe = Believe::neither;
  std::shared_ptr<SharedStems> shared_stems = {};  ///< that are known of the pictures; or null
  /// Each picture is decoded only to find damage, and goes to the writer unchanged. With `verify`,
  /// the picture that the writer reads back is compared with it, in any of the orientations.
  bool decode_only = false;
  bool quick = false;  ///< with decode_only: not even decoded
  /// Nothing is decoded or written: outcomes say what would be done, as far as headers tell.
  bool plan_only = false;
  std::optional<int> quality = {};    ///< as PictureOptions
  bool tag_only = false;              ///< the turn is stored in the tag, no pixel moves
  bool raw = false;                   ///< with tag_only: camera raw files too
  bool verify = false;                ///< each result is read again and compared, see prove()
  bool salvage = false;               ///< the readable part of a damaged picture is written
  bool strict = false;                ///< a file fails if it would cause a warning
  bool allow_storage_change = false;  ///< of a TIFF; never in place
  bool allow_stale_metadata = false;  ///< in place; elsewhere stale metadata is only warned of
  int threads = 1;
  std::uint64_t memory_bytes = 0;  ///< for files and pixels in flight
  /// A picture that needs more than memory_bytes is turned alone, and one that needs more than this
  /// is refused.
  std::uint64_t largest_bytes = Limits::none;
  DeviceChoice device;
  JpegOptions jpeg;  ///< for JPEGs that stay JPEGs
  PngMode png = PngMode::small;
  Limits limits;  ///< of a file
  LabelsDrawnOn labels_drawn_on = LabelsDrawnOn::unknown;
  double seconds = 600;  ///< of work on a picture, without waiting for memory or a device
};

}  // namespace qturn
