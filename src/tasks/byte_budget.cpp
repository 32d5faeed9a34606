#include "src/tasks/byte_budget.hpp"

#include "src/picture/image.hpp"
#include "src/tasks/suspend.hpp"

namespace qturn {

struct ByteBudget::Waiting {
  const std::uint64_t bytes;
  Resume resume;
  bool is_granted = false;
};

Reservation ByteBudget::reserve(std::uint64_t bytes, const std::atomic<bool>& stop) {
  if (stop) throw Interrupted();
  if (auto reservation = reserve_now(bytes)) return std::move(*reservation);
  Waiting own{bytes, Resume()};
  suspend([this, &own](Resume resume) {
    const std::lock_guard lock(mutex_);
    own.resume = std::move(resume);
    waiting_.push_back(&own);
    grant();
  });
  if (!own.is_granted) throw Interrupted();
  Reservation reservation(*this, bytes);
  if (stop) throw Interrupted();  // which gives it back
  return reservation;
}

std::optional<Reservation> ByteBudget::reserve_now(std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  if (!waiting_.empty() || !fits(bytes)) return std::nullopt;
  take(bytes);
  return Reservation(*this, bytes);
}

void ByteBudget::interrupt() {
  const std::lock_guard lock(mutex_);
  for (Waiting* waiting : std::exchange(waiting_, {})) Resume(waiting->resume)();
}

// With the lock held.
void ByteBudget::take(std::uint64_t bytes) {
  reserved_ += bytes;
  if (keep_at_most_) keep_at_most_(reserved_ < total_ ? total_ - reserved_ : 0);
}

// With the lock held. What is resumed may be gone at once.
void ByteBudget::grant() {
  while (!waiting_.empty() && fits(waiting_.front()->bytes)) {
    Waiting& next = *waiting_.front();
    waiting_.pop_front();
    take(next.bytes);
    next.is_granted = true;
    Resume(next.resume)();
  }
}

void Reservation::resize(std::uint64_t bytes) {
  if (budget_ == nullptr) return;
  const std::lock_guard lock(budget_->mutex_);
  budget_->reserved_ = budget_->reserved_ - bytes_ + bytes;
  bytes_ = bytes;
  budget_->grant();
}

Reservation::~Reservation() {
  if (budget_ == nullptr) return;
  const std::lock_guard lock(budget_->mutex_);
  budget_->reserved_ -= bytes_;
  budget_->grant();
}

}  // namespace qturn
