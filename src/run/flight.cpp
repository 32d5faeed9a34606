#include "src/run/flight.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <new>

#include "src/files/safe_file.hpp"
#include "src/run/memory_limit.hpp"

namespace qturn {
namespace {

double gib(std::uint64_t bytes) { return static_cast<double>(bytes) / (1 << 30); }

std::string reason(const std::exception& error) {
  if (dynamic_cast<const std::bad_alloc*>(&error))
    return "out of memory; a smaller --memory or -j may help";
  return error.what();
}

}  // namespace

Flight::Flight(const Job& job, const RunOptions& options, const std::atomic<bool>& stop,
               Budgets& budgets, Lane& lane)
    : job_(job),
      options_(options),
      stop_(stop),
      budgets_(budgets),
      lane_(lane),
      start_(std::chrono::steady_clock::now()),
      outcomes_(job.outputs.size()) {
  for (std::size_t i = 0; i < outcomes_.size(); ++i) {
    outcomes_[i].input = job.input;
    outcomes_[i].output = job.outputs[i].path;
    outcomes_[i].key = job.key;
    outcomes_[i].is_picture = !job.copy_verbatim;
    outcomes_[i].file_bytes = job.file_bytes;
    outcomes_[i].variant = compose(options.orientation, job.outputs[i].variant);
  }
}

void Flight::read() { step(&Flight::read_file_and_header); }

void Flight::decode() { step(&Flight::decode_pixels); }

void Flight::write_outputs() {
  for (std::size_t i = 0; i < outcomes_.size() && !over_; ++i) {
    try {
      write_output(i);
    } catch (const Interrupted&) {
      // What is on disk already stays and is reported.
      outcomes_.resize(i);
      over_ = true;
      break;
    } catch (const std::exception& error) {
      fail(i, reason(error));
    }
    outcomes_[i].seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }
  if (!outcomes_.empty())
    outcomes_.front().warnings.insert(outcomes_.front().warnings.begin(), warnings_.begin(),
                                      warnings_.end());
  image_ = {};
  lane_.clear();
  pixel_reservation_ = {};
  file_ = {};
  file_reservation_ = {};
}

void Flight::step(void (Flight::*work)()) {
  if (over_) return;
  try {
    (this->*work)();
  } catch (const Interrupted&) {
    outcomes_.clear();
    over_ = true;
  } catch (const std::exception& error) {
    for (std::size_t i = 0; i < outcomes_.size(); ++i) fail(i, reason(error));
    over_ = true;
  }
}

void Flight::read_file_and_header() {
  file_reservation_ = budgets_.files.reserve(job_.file_bytes, stop_);
  file_ = read_file(job_.input);
  if (job_.copy_verbatim) return;

  if (file_.empty()) throw ImageFileError("the file is empty");
  const auto head = std::span(file_).first(std::min(file_.size(), format_signature_bytes));
  const auto format = format_of_content(head, lower_suffix(job_.input));
  if (!format)
    throw ImageFileError("not a picture in a format that qturn reads, whatever its name says");
  format_ = *format;
  header_ = read_header(file_, format_);
}

void Flight::decode_pixels() {
  if (job_.copy_verbatim) return;
  const bool nothing_is_written = std::ranges::all_of(job_.outputs, [&](const JobOutput& output) {
    return action_for(compose(header_.stored, compose(options_.orientation, output.variant))) ==
           Action::leave;
  });
  if (nothing_is_written) return;

  const std::uint64_t needed = 2 * header_.pixel_bytes_total + header_.working_bytes;
  if (needed > options_.memory_bytes && needed > available_memory())
    throw ImageFileError(fmt::format("{} x {} pixels need {:.1f} GiB of memory, {:.1f} GiB is free",
                                     header_.width, header_.height, gib(needed),
                                     gib(available_memory())));
  pixel_reservation_ = budgets_.pixels.reserve(needed, stop_);
  image_ = qturn::decode(file_, format_, job_.target.value_or(format_), lane_.decoded(), stop_,
                         warnings_);
  lane_.load(image_);
}

Flight::Action Flight::action_for(Orientation applied) {
  if (job_.target.value_or(format_) != format_ || applied != Orientation::identity)
    return Action::turn;
  if (header_.stored == Orientation::identity)
    return options_.in_place ? Action::leave : Action::copy;
  if (!retagged_) retagged_ = retag_upright(file_, format_);
  return retagged_ ? Action::retag : Action::turn;
}

void Flight::write_output(std::size_t index) {
  Outcome& outcome = outcomes_[index];
  const auto write = [&](std::span<const std::byte> content, Route route) {
    if (stop_) throw Interrupted();
    write_file(outcome.output, content, job_.input,
               options_.in_place || options_.replace_existing ? IfExists::replace : IfExists::fail);
    outcome.route = route;
    outcome.status = Status::done;
  };
  if (job_.copy_verbatim) return write(file_, Route::copied);

  outcome.applied = compose(header_.stored, outcome.variant);
  outcome.width = swaps_axes(outcome.applied) ? header_.height : header_.width;
  outcome.height = swaps_axes(outcome.applied) ? header_.width : header_.height;
  if (index == 0)
    for (const Page& page : image_.pages)
      outcome.pixels += static_cast<std::uint64_t>(page.width * page.height);

  switch (action_for(outcome.applied)) {
    case Action::leave:
      outcome.status = Status::skipped;
      outcome.message = "already upright";
      return;
    case Action::copy:
      return write(file_, Route::copied);
    case Action::retag:
      return write(*retagged_, Route::retagged);
    case Action::turn:
      break;
  }
  if (options_.in_place && format_ == Format::jpeg)
    throw ImageFileError(
        "turning the pixels of a JPEG encodes it anew, which is not done in place; use -o");
  if (options_.in_place && !header_.storage_change.empty())
    throw ImageFileError(
        fmt::format("not turned in place, because {}; use -o", header_.storage_change));
  const Image turned = lane_.turn(outcome.applied);
  write(encode(turned, outcome.applied, job_.target.value_or(format_), stop_, outcome.warnings),
        Route::reencoded);
}

void Flight::fail(std::size_t index, const std::string& message) {
  outcomes_[index].status = Status::failed;
  outcomes_[index].route = Route::none;
  outcomes_[index].message = message;
}

}  // namespace qturn
