// One picture on its way from the bytes of a file to the bytes of the turned files. It goes in
// steps, so that the caller can manage budgets and lanes between them.
//
// The header decides what is done. Pixels that need not move are not encoded again: an upright
// picture is copied byte for byte, and if only the tag is wrong, only the tag is changed. A JPEG
// that stays a JPEG goes from compressed bytes to compressed bytes; all other pictures are decoded
// to pixels. Everything that is turned was decoded first, so damage is always an error. Only
// `tag_only` does not read the pixels.
#pragma once

#include <qturn/orientation.hpp>
#include <qturn/pictures.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/formats/codec/codec.hpp"
#include "src/formats/codec/compressed_turn.hpp"
#include "src/metadata/metadata_turn.hpp"
#include "src/picture/errors.hpp"
#include "src/turn/lane.hpp"

namespace qturn {

/// The options, without what only the installed function takes.
struct PictureOptions {
  const Codec* target = nullptr;  ///< the format to write; null: the source's own
  JpegOptions jpeg;
  PngMode png = PngMode::small;
  bool tag_only = false;
  bool raw = false;                 ///< camera raw files too, by their tag alone
  bool believes_exif = false;       ///< Header::doubted counts
  bool salvage = false;             ///< the readable part of a damaged picture is written
  std::optional<int> quality = {};  ///< for a lossy `target` that is not the source's format
  bool proves = false;              ///< prove() will be called, so the decoded pages are kept
  Limits limits = {};
};

/// The most memory that a picture takes besides its file, in bytes.
struct MemoryNeed {
  std::uint64_t reading = 0;  ///< by PictureTurn::read()
  std::uint64_t turning = 0;  ///< and then by turn() and prove(), with one result at a time
};

class PictureTurn {
 public:
  /// Recognises the format of `file`, which must outlive this, and reads its header. `lower_suffix`
  /// counts where the content cannot tell. Throws ImageFileError; LimitError.
  PictureTurn(std::span<const std::byte> file, std::string_view lower_suffix,
              const PictureOptions& options);

  /// Sets how the picture is stored, whatever the file says. To be called first.
  void is_stored(Orientation stored) { beside_ = compose(inverse(header_.stored), stored); }

  /// What is wrong with the picture if only a part of it could be read; empty if it is whole, or
  /// has not been read yet.
  const std::string& damage() const { return damage_; }

  const Codec& format() const { return *format_; }
  const Header& header() const { return header_; }

  /// The orientation to apply to the stored pixels: the stored one, then `orientation`.
  Orientation applied(Orientation orientation) const { return compose(stored(), orientation); }

  /// What turn() will do, by the header alone. The route is none if turn() would throw.
  TurnOutcome plan(Orientation orientation) const;

  /// What companions of the picture need to know about a turn that goes as `planned`.
  MetadataTurn metadata_turn(Orientation orientation, const TurnOutcome& planned) const;

  /// Why turn() writes the picture in another form than the stored one; empty if it does not. If
  /// this is not permitted, turn() must not be called.
  std::string storage_change(Orientation orientation) const;

  /// What read() and turn() take for these orientations.
  MemoryNeed memory_needed(std::span<const Orientation> orientations) const;

  /// The request for a device that turns JPEGs; nothing if it cannot make any of the orientations.
  std::optional<JpegRequest> request(std::span<const Orientation> orientations) const;

  /// Takes what a device has made of request(); those orientations need no read().
  void accept(const JpegRequest& request, JpegMade made);
  bool is_made(Orientation orientation) const;

  /// Decodes the file, as these orientations need it, into the lane's memory, and loads the lane;
  /// `lane` must live until the last turn(). Throws ImageFileError for any damage; Interrupted.
  void read(std::span<const Orientation> orientations, Lane& lane, const std::atomic<bool>& stop);

  /// Compares this picture with the file that turn() made for `orientation`, read again after it
  /// was written. Only with `proves`, and if the picture keeps its format. Throws ProofError
  /// where they differ; Interrupted. If only one orientation was read, the picture is read once
  /// more for the proof, and turn() must not be called again. `is_data_proved`: is_proved_by() was
  /// true, and no read() is needed.
  void prove(Orientation orientation, std::span<const std::byte> result,
             const std::atomic<bool>& stop, bool is_data_proved = false);

  /// Whether a device finds that the compressed data of such a result is right. Throws Interrupted.
  bool is_proved_by(const AskDevice& device, Orientation orientation,
                    std::span<const std::byte> result) const {
    return compressed_ && compressed_->is_proved_by(device, result, applied(orientation));
  }

  /// Finds the orientation in which `result`, made by any program, holds this picture. read() must
  /// have read an orientation that keeps the stored pixels. Throws ProofError if no orientation
  /// fits, or if anything else in the two files disagrees; Interrupted.
  MetadataTurn turn_in(std::span<const std::byte> result, const std::atomic<bool>& stop);

  /// The memory that prove() takes besides the file and the result, of orientations that a device
  /// has made.
  std::uint64_t proof_bytes(std::span<const Orientation> orientations) const {
    return compressed_ ? compressed_->proof_bytes(all_applied(orientations)) : 0;
  }

  /// Whether turn() or prove() still looks at the file, for these orientations, once it was read.
  bool looks_at_file(std::span<const Orientation> orientations) const;

  /// The turned file. read() has read the orientation, or a device has made it; each comes once.
  /// Empty if the source is the result (copied, skipped). Throws ImageFileError; Interrupted.
  FileBytes turn(Orientation orientation, const std::atomic<bool>& stop,
                 std::vector<std::string>& warnings);

  /// Throws why there is no result, as plan() says.
  [[noreturn]] void refuse(const TurnOutcome& planned) const;

  /// Hints that help if Header::doubt is a warning, or the reason why there is no result.
  Hints hints_of_doubt() const { return header_.doubted ? Hints{Hint::believe_exif} : Hints(); }

  /// The warnings of read() and accept().
  const std::vector<std::string>& warnings() const { return warnings_; }

  /// The pixels of all pages, once they were read.
  std::uint64_t pixels_read() const { return pixels_read_; }

 private:
  bool is_converted() const { return target_ != format_; }
  Orientation stored() const { return compose(header_.stored, beside_); }
  void open();
  void read_whole(std::span<const Orientation> orientations, Lane& lane,
                  const std::atomic<bool>& stop);
  void take(const Image& image, std::span<const Orientation> orientations, Lane& lane);
  /// Calls `read()`; throws what is wrong with the picture if nothing can be salvaged.
  template <typename Read>
  void of_damaged(Read read) const;
  bool is_released(std::uint64_t decoded_bytes) const;
  MetadataTurn found_turn_in(std::span<const std::byte> result, const std::atomic<bool>& stop);
  void expect_format(std::span<const std::byte> result) const;
  void read_again(const TurnOutcome& planned, const std::atomic<bool>& stop);
  void prove_read(const TurnOutcome& planned, MetadataTurn turn, std::span<const std::byte> result,
                  bool is_data_proved, const std::atomic<bool>& stop);
  Route route_of(Orientation applied) const;
  Loss loss_of(Route route) const;
  std::vector<std::string> stale_metadata(const TurnOutcome& outcome) const;
  std::vector<Orientation> all_applied(std::span<const Orientation> orientations) const;
  std::size_t reencoded_among(std::span<const Orientation> orientations) const;
  std::uint64_t decoded_bytes() const;

  std::span<const std::byte> file_;
  std::string damage_;
  PictureOptions options_;
  const Codec* format_;
  const Codec* target_;
  std::unique_ptr<CompressedTurn> compressed_;  ///< null: it cannot be turned without decoding
  Header header_;
  Orientation beside_ = Orientation::identity;
  Lane* lane_ = nullptr;              ///< once it was read
  Image decoded_;                     ///< in the lane's memory, for prove()
  std::size_t turns_left_ = 0;        ///< how many turns still need the decoded pages
  std::optional<Orientation> alone_;  ///< what is applied, if it was read for one orientation
  std::uint64_t pixels_read_ = 0;
  std::vector<std::string> warnings_;
};

/// A PictureTurn for a caller in memory, who knows a suffix (".TGA") at most and sets limits
/// without the command line. Throws ImageFileError.
PictureTurn opened_in_memory(std::span<const std::byte> file, std::string_view suffix,
                             const PictureOptions& options);

/// Whether the turn moves pixels, as readers see them.
inline bool moves_pixels(const TurnOutcome& outcome) {
  const bool is_written = outcome.route != Route::skipped && outcome.route != Route::none;
  return is_written && outcome.applied != Orientation::identity;
}

/// Adds a sentence about stale metadata, if there is any.
void warn_of_stale_metadata(const std::vector<std::string>& stale,
                            std::vector<std::string>& warnings);

/// Why a caller in memory gets no turned file; empty if there is one.
std::string refusal_in_memory(const PictureTurn& picture, Orientation orientation,
                              bool allow_storage_change);

}  // namespace qturn
