// One job under way: from the picture at its source to the outcomes of its outputs. It knows
// nothing of threads; its sample calls its steps in order.
//
// turn/picture_turn.hpp turns the bytes; they come from a Source and go to a SampleWriter. A flight
// takes memory and a lane for them, and records the outcomes.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "src/files/source.hpp"
#include "src/formats/codec/jpeg_device.hpp"
#include "src/picture/file_bytes.hpp"
#include "src/plan/jobs.hpp"
#include "src/run/limits.hpp"
#include "src/run/options.hpp"
#include "src/run/outcome.hpp"
#include "src/sample/companion_turns.hpp"
#include "src/sample/sidecars.hpp"
#include "src/sinks/sample_writer.hpp"
#include "src/sources/sample_reader.hpp"
#include "src/tasks/byte_budget.hpp"
#include "src/turn/lane.hpp"
#include "src/turn/picture_turn.hpp"

namespace qturn {

// The lanes of a run, shared between its threads.

/// A lane for each thread of the pipeline. No task is suspended while it has one, so there is
/// always one free.
class LanePool {
 public:
  explicit LanePool(std::vector<std::unique_ptr<Lane>> lanes) : lanes_(std::move(lanes)) {
    for (const auto& lane : lanes_) free_.push_back(lane.get());
  }

  /// The lane that was used last, because its memory is most likely in a cache. It keeps no more
  /// than `bytes`, which the caller has reserved.
  Lane* take(std::uint64_t bytes);
  void give_back(Lane* lane);

  /// Gives back to the system what free lanes keep beyond this. Returns what they still keep.
  std::uint64_t keep_at_most(std::uint64_t bytes);

 private:
  std::vector<std::unique_ptr<Lane>> lanes_;
  std::mutex mutex_;
  std::vector<Lane*> free_;
};

/// What all flights of a run share.
struct Shared {
  const SampleWriter& writer;
  const RunOptions& options;
  const std::atomic<bool>& stop;
  TimeLimit& time_limit;
  SpareBytes& spare;
  JpegDevice* device;  ///< takes the JPEGs that it can; null: there is none
  ByteBudget& files;   ///< the memory for files that have been read
  ByteBudget& pixels;
  LanePool& lanes;
  SharedStems& stems;
};

/// What went wrong, and what to type if that helps.
Sentence reason(const std::exception& error);

/// How a picture is turned in such a run.
PictureOptions picture_options(const RunOptions& options, const Codec* target);

class Flight {
 public:
  /// `memory`: the sample's; null if its files are not in memory.
  Flight(Job job, const Source& source, SampleMemory* memory, Shared& shared);

  /// The steps, in order. Each may suspend the calling task. After write_outputs() the source is
  /// not needed any more.
  void read();
  void decode();
  void write_outputs();
  void put_in_place(std::size_t index);

  /// Between the last two steps: gives up what was made, because another picture of the sample
  /// failed.
  void leave_out(std::size_t index, Status status, Route route, Sentence why);
  /// Whether the output was made, and is not in its place yet.
  bool is_staged(std::size_t index) const { return staged_[index] != nullptr; }
  /// The bytes of results that wait in memory.
  std::uint64_t bytes_held() const;

  /// One for each output; fewer if the flight was interrupted.
  const std::vector<Outcome>& outcomes() const& { return outcomes_; }
  std::vector<Outcome> outcomes() && { return std::move(outcomes_); }
  bool is_interrupted() const { return outcomes_.size() < job_.outputs.size(); }

 private:
  void step(void (Flight::*work)());
  void leave_what_is_done();
  /// Whether every outcome was known before anything is read.
  bool is_settled() const { return std::ranges::count(settled_, false) == 0; }
  void tell_stored();
  void read_file_and_header();
  FileBytes memory_for_file() const;
  std::uint64_t bytes_of_companions() const;
  void decode_pixels();
  void plan_masks(std::span<const Orientation> written);
  void decode_masks() { companions_.decode(stop()); }
  void turn_on_device(std::vector<Orientation>& orientations);
  std::uint64_t besides_file(std::uint64_t needed) const;
  bool can_have(std::uint64_t needed) const;
  void reserve(std::uint64_t needed);
  void take_lane(std::uint64_t needed);
  void take_lane_to_prove(Orientation made);
  [[noreturn]] void refuse_size(const std::string& who_needs, std::uint64_t needed) const;
  void write_output(std::size_t index);
  bool is_left(Route route) const;
  void refuse_storage_change(Orientation orientation) const;
  std::vector<std::string> stale_metadata(const TurnOutcome& planned, std::size_t index);
  void refuse_stale_metadata(const Outcome& outcome) const;
  MetadataTurn turn_of(std::size_t index) const;
  SampleWriter::Companions companions_as_they_are(std::size_t index) const;
  SampleWriter::Companions turned_companions(std::size_t index, std::span<const std::byte> bytes,
                                             const MetadataTurn& turn,
                                             std::vector<Sentence>& all_warnings);
  SidecarOptions sidecar_options() const {
    return {options_.sidecars, options_.believe, options_.in_place};
  }
  bool is_made_once() const { return job_.outputs.size() == 1; }
  void refuse_warnings(Outcome& outcome) const;
  void put(std::size_t index, std::span<const std::byte> bytes, Route route, FileBytes memory = {});
  void prove(std::size_t index, MetadataTurn turn, const StagedResult& staged,
             const SampleWriter::Companions& companions, FileBytes& memory);
  bool is_proved_on_device(Orientation variant, std::span<const std::byte> result);
  void fail(std::size_t index, Sentence why, Status status = Status::failed);
  Sentence out_of_time() const;
  Reservation reserved_in(ByteBudget& budget, std::uint64_t bytes);
  const std::atomic<bool>& stop() const { return time_->stop(); }

  const Job job_;
  const Source& source_;
  SampleMemory* const memory_;
  Shared& shared_;
  const RunOptions& options_;
  std::chrono::steady_clock::time_point start_;
  std::optional<TimeLimit::Picture> time_;  ///< once it is being read

  Reservation file_reservation_, pixel_reservation_;
  Original original_;
  std::optional<PictureTurn> picture_;
  FoundSidecars sidecars_;  ///< sidecars that the plan does not know
  CompanionTurns companions_;
  std::uint64_t mask_bytes_ = 0;  ///< the memory that masks take
  Lane* lane_ = nullptr;          ///< from decoding to the last output
  std::vector<Outcome> outcomes_;
  std::vector<bool> settled_;  ///< by output: its outcome was known before anything was read
  std::vector<std::unique_ptr<StagedResult>> staged_;  ///< by output; null: nothing is written
  bool is_salvaged_ = false;
  bool over_ = false;  ///< every outcome is known, or the flight was interrupted
};

/// One sample on its way: the flights of its pictures, whose results stand or fall together.
class SampleFlight {
 public:
  /// `shared` must outlive it.
  SampleFlight(SampleJobs sample, Shared& shared);

  /// The steps, in order. Each may suspend the calling task.
  void turn();
  /// Returns the number of variants that were put in their places.
  std::size_t put_in_place();

  /// Whether the run ended before the sample was turned.
  bool is_interrupted() const;
  /// One for each output of each picture; fewer if the sample was interrupted.
  std::vector<Outcome> outcomes() &&;

 private:
  void leave_out_parts();

  SampleJobs sample_;
  Shared& shared_;
  std::vector<std::unique_ptr<Flight>> flights_;
};

}  // namespace qturn
