// What is measured besides single pictures out of place: batches, turns in place, and pictures made
// planar.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tools/bench/cases.hpp"
#include "tools/bench/machine.hpp"

namespace qturn::bench {

struct EntryResult {
  std::string what;
  int pixel_bytes;
  Rate rate;
  Rate bound;
  std::string bound_by;
  Rate after_foreign = {};  ///< after a kernel that is not ours and overlaps nothing
  Rate bound_after_foreign = {};

  double percent() const { return 100 * rate.median / bound.median; }
  double percent_after_foreign() const {
    return 100 * after_foreign.median / bound_after_foreign.median;
  }
};

std::string line(const EntryResult& result);
std::string markdown(const std::vector<EntryResult>& results);
std::string json(const Machine& machine, const std::vector<EntryResult>& results);

/// Which rows are measured, and how often each.
struct EntryChoice {
  int batches = 31;
  std::vector<std::string> texts;  // only rows with one of these in their text; empty: all rows
  std::vector<int> pixel_sizes;    // likewise

  bool wants(const std::string& what, int pixel_bytes) const;
};

/// Called with each result as soon as it is there.
using EntryListener = std::function<void(const EntryResult&)>;

/// 256 pictures of 224 x 224 and 64 of random sizes from 16 to 2048, against a copy of as many
/// bytes. Both throw std::runtime_error when there is no GPU, or it fails.
void measure_batches(int device, const EntryChoice& choice, const EntryListener& listener);

/// Microseconds of host time for a call with 256 pictures.
double batch_call_microseconds(int device);

/// Squares of 4096 x 4096 turned in place, against a copy of as many bytes to other memory.
void measure_in_place(int device, const EntryChoice& choice, const EntryListener& listener);

/// Interleaved pictures made planar and normalised, and sets of planes turned, against a copy that
/// reads and writes as many bytes together.
void measure_planar(int device, const EntryChoice& choice, const EntryListener& listener);

}  // namespace qturn::bench
