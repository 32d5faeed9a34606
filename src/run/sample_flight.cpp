#include "src/run/flight.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace qturn {
namespace {

/// Whether a result waits to be put in its place, or, with plan_only, would be made.
bool is_made(const Flight& flight, std::size_t variant) {
  return flight.is_staged(variant) || flight.outcomes()[variant].status == Status::done;
}

bool is_there(const Outcome& outcome) {
  return outcome.status == Status::done_before || outcome.output_exists;
}

bool is_missing(const Outcome& outcome) {
  return has_failed(outcome.status) ||
         (outcome.status == Status::skipped && !outcome.output_exists);
}

}  // namespace

SampleFlight::SampleFlight(SampleJobs sample, Shared& shared)
    : sample_(std::move(sample)), shared_(shared) {
  for (Job& job : sample_.jobs)
    flights_.push_back(
        std::make_unique<Flight>(std::move(job), *sample_.source, sample_.memory.get(), shared));
}

void SampleFlight::turn() {
  for (const auto& flight : flights_) {
    flight->read();
    flight->decode();
    flight->write_outputs();
  }
  leave_out_parts();
  if (!sample_.memory) return;
  sample_.source.reset();
  std::uint64_t bytes = 0;
  for (const auto& flight : flights_) bytes += flight->bytes_held();
  sample_.memory->keep(bytes);
}

/// If one part of a variant is missing, the others are not written: a reader would take them for
/// the whole sample.
void SampleFlight::leave_out_parts() {
  const bool is_too_large = sample_.memory && sample_.memory->is_too_large();
  if (flights_.size() == 1 && !is_too_large) return;
  if (is_interrupted()) return flights_.clear();
  for (std::size_t variant = 0; variant < flights_.front()->outcomes().size(); ++variant) {
    const Outcome* missing = nullptr;
    for (const auto& flight : flights_) {
      const Outcome& outcome = flight->outcomes()[variant];
      if (is_made(*flight, variant) || is_there(outcome)) continue;
      const bool is_worse =
          missing && has_failed(outcome.status) && missing->status == Status::skipped;
      if (!missing || is_worse) missing = &outcome;
    }
    if (!missing && !is_too_large) continue;
    for (const auto& flight : flights_) {
      if (!is_made(*flight, variant)) continue;
      if (missing)
        flight->leave_out(variant, missing->status, missing->route,
                          fmt::format("left out, because {} of the same sample is",
                                      missing->input.filename().string()));
      else
        flight->leave_out(variant, Status::failed, Route::none, sample_.memory->why_too_large());
    }
  }
}

std::size_t SampleFlight::put_in_place() {
  std::size_t written = 0;
  const std::size_t variants = flights_.empty() ? 0 : flights_.front()->outcomes().size();
  for (std::size_t variant = 0; variant < variants; ++variant) {
    bool is_any_written = false;
    for (const auto& flight : flights_) {
      flight->put_in_place(variant);
      is_any_written = is_any_written || !is_missing(flight->outcomes()[variant]);
    }
    shared_.writer.end_variant();
    written += is_any_written ? 1 : 0;
  }
  return written;
}

bool SampleFlight::is_interrupted() const {
  return flights_.empty() ||
         std::ranges::any_of(flights_, [](const auto& each) { return each->is_interrupted(); });
}

std::vector<Outcome> SampleFlight::outcomes() && {
  std::vector<Outcome> all;
  for (const auto& flight : flights_) {
    std::vector<Outcome> own = std::move(*flight).outcomes();
    std::ranges::move(own, std::back_inserter(all));
  }
  return all;
}

}  // namespace qturn
