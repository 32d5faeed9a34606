// Bounds the bytes of all images in flight.
//
// A pipeline bounds the number of images, but twenty photographs may take 200 MB or 20 GB. So each
// image asks here for its bytes, known from its header, before it is decoded. First come, first
// served: a large image waits for the small ones before it, but later ones do not overtake it. An
// image larger than the whole budget runs alone. What waits is a suspended task and holds no
// thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <utility>

namespace qturn {

class ByteBudget;

/// Bytes that are reserved until this is destroyed. Must not outlive its budget.
class Reservation {
 public:
  Reservation() = default;
  ~Reservation();
  Reservation(Reservation&& other) noexcept
      : budget_(std::exchange(other.budget_, nullptr)), bytes_(other.bytes_) {}
  Reservation& operator=(Reservation&& other) noexcept {
    std::swap(budget_, other.budget_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }

  std::uint64_t bytes() const { return bytes_; }
  /// Takes more at once, whatever is left, or gives some back.
  void resize(std::uint64_t bytes);

 private:
  friend ByteBudget;
  Reservation(ByteBudget& budget, std::uint64_t bytes) : budget_(&budget), bytes_(bytes) {}
  ByteBudget* budget_ = nullptr;
  std::uint64_t bytes_ = 0;
};

class ByteBudget {
 public:
  /// Frees memory that others keep until it is no more than `bytes`.
  using KeepAtMost = std::function<void(std::uint64_t bytes)>;

  /// `keep_at_most` is told after each reservation what it leaves; empty: nobody keeps any. It is
  /// called under a lock, and must not reserve.
  explicit ByteBudget(std::uint64_t bytes, KeepAtMost keep_at_most = {})
      : total_(bytes), keep_at_most_(std::move(keep_at_most)) {}

  std::uint64_t total() const { return total_; }

  /// Suspends the calling task until it is its turn and the bytes fit. If they are more than the
  /// whole budget, it is suspended until nothing else is reserved. Throws Interrupted after
  /// interrupt(), or if `stop` is raised meanwhile.
  Reservation reserve(std::uint64_t bytes, const std::atomic<bool>& stop);

  /// Nothing if it would have to wait.
  std::optional<Reservation> reserve_now(std::uint64_t bytes);

  /// Ends all waits: the run is given up.
  void interrupt();

 private:
  friend Reservation;
  struct Waiting;
  void take(std::uint64_t bytes);
  void grant();
  bool fits(std::uint64_t bytes) const {
    return reserved_ == 0 || (reserved_ <= total_ && bytes <= total_ - reserved_);
  }

  const std::uint64_t total_;
  const KeepAtMost keep_at_most_;
  std::mutex mutex_;
  std::uint64_t reserved_ = 0;
  std::deque<Waiting*> waiting_;  // in the order of arrival
};

}  // namespace qturn
