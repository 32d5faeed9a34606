// One job under way: from the file on disk to the outcomes of its outputs. It knows nothing of
// threads; the pipeline calls its steps in order.
//
// What an output needs is decided from the header. Pixels that need not move are not encoded anew:
// an upright picture is copied byte for byte (or left alone, in place), and where only the tag says
// otherwise than the result, only the tag is changed. A JPEG that stays one goes from compressed
// bytes to compressed bytes (jpeg/turn.hpp), everything else by way of pixels. Whatever is written
// was decoded first, so damage never passes as a success; only --tag-only, which is asked for by
// name, leaves the pixels unread.
#ifndef QTURN_SRC_RUN_FLIGHT_HPP
#define QTURN_SRC_RUN_FLIGHT_HPP

#include <atomic>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "src/formats/codec.hpp"
#include "src/formats/spare_bytes.hpp"
#include "src/jpeg/planar_device.hpp"
#include "src/jpeg/turn.hpp"
#include "src/plan/jobs.hpp"
#include "src/plan/sidecars.hpp"
#include "src/run/byte_budget.hpp"
#include "src/run/lane.hpp"
#include "src/run/outcome.hpp"
#include "src/run/pipeline.hpp"
#include "src/run/seats.hpp"

namespace qturn {

/// The memory for files that have been read, and for pixels, of all flights together.
struct Budgets {
  ByteBudget files;
  ByteBudget pixels;
};

class Flight {
 public:
  /// `device` takes the JPEGs that it can; null: there is none.
  Flight(const Job& job, const RunOptions& options, const std::atomic<bool>& stop, Budgets& budgets,
         SpareBytes& spare, Seats& seats, LanePool& lanes, PlanarDevice* device);

  /// The steps, in order, all on one of the seats.
  void read();
  void decode();
  void write_outputs();

  /// One for each output; none if the flight was interrupted.
  std::vector<Outcome> outcomes() && { return std::move(outcomes_); }

 private:
  enum class Action { leave, copy, retag, turn, turn_jpeg, tag_jpeg, skip };

  void step(void (Flight::*work)());
  void read_file_and_header();
  void decode_pixels();
  void turn_on_device(std::vector<Orientation>& applied);
  void reserve(std::uint64_t needed);
  void write_output(std::size_t index);
  Orientation applied_to(const Outcome& outcome) const;
  Action action_for(Orientation applied);
  void refuse_storage_change() const;
  Bytes retagged(Outcome& outcome) const;
  std::vector<Sidecar> sidecars_of_upright(Outcome& outcome) const;
  std::vector<Sidecar> turned_sidecars(Outcome& outcome) const;
  void refuse_warnings(Outcome& outcome) const;
  void put_on_disk(Outcome& outcome, std::span<const std::byte> content, Route route) const;
  void fail(std::size_t index, const std::string& message);

  const Job& job_;
  const RunOptions& options_;
  const std::atomic<bool>& stop_;
  Budgets& budgets_;
  SpareBytes& spare_;
  Seats& seats_;
  LanePool& lanes_;
  PlanarDevice* device_;
  std::chrono::steady_clock::time_point start_;

  Reservation file_reservation_, pixel_reservation_;
  Bytes file_;
  Format format_{};
  Header header_;
  std::optional<Bytes> retagged_;
  Lane* lane_ = nullptr;  ///< from decoding to the last output
  Image image_;
  std::optional<JpegTurn> jpeg_;  ///< of a JPEG that stays one
  std::vector<std::string> warnings_;
  std::vector<Outcome> outcomes_;
  bool over_ = false;  ///< every outcome is known, or the flight was interrupted
};

}  // namespace qturn

#endif  // QTURN_SRC_RUN_FLIGHT_HPP
