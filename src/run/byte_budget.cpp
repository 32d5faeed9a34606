#include "src/run/byte_budget.hpp"

#include <algorithm>
#include <chrono>

#include "src/picture/image.hpp"

namespace qturn {

Reservation ByteBudget::reserve(std::uint64_t bytes, const std::atomic<bool>& stop) {
  std::unique_lock lock(mutex_);
  const std::uint64_t ticket = next_ticket_++;
  waiting_.push_back(ticket);
  while (!stop && (waiting_.front() != ticket || !fits(bytes))) {
    // The flag is raised by a signal handler, which cannot wake anybody.
    changed_.wait_for(lock, std::chrono::milliseconds(50));
  }
  waiting_.erase(std::find(waiting_.begin(), waiting_.end(), ticket));
  changed_.notify_all();
  if (stop) throw Interrupted();
  return reserved(bytes);
}

std::optional<Reservation> ByteBudget::reserve_now(std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  if (!waiting_.empty() || !fits(bytes)) return std::nullopt;
  return reserved(bytes);
}

// With the lock held.
Reservation ByteBudget::reserved(std::uint64_t bytes) {
  reserved_ += bytes;
  if (keep_at_most_) keep_at_most_(reserved_ < total_ ? total_ - reserved_ : 0);
  return Reservation(*this, bytes);
}

Reservation::~Reservation() {
  if (budget_ == nullptr) return;
  const std::lock_guard lock(budget_->mutex_);
  budget_->reserved_ -= bytes_;
  budget_->changed_.notify_all();
}

}  // namespace qturn
