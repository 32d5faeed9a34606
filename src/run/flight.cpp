#include "src/run/flight.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <utility>

#include "src/carriers/xmp.hpp"
#include "src/files/safe_file.hpp"
#include "src/jpeg/carriers.hpp"
#include "src/run/limits.hpp"

namespace qturn {
namespace {

double gib(std::uint64_t bytes) { return static_cast<double>(bytes) / (1 << 30); }

std::string reason(const std::exception& error) {
  if (dynamic_cast<const std::bad_alloc*>(&error))
    return "out of memory; a smaller --memory or -j may help";
  return error.what();
}

// With `fastest`, this share of the seats stays free for those who bring the device its work: a
// picture takes ten times as much of a core as one that the device turns.
constexpr int kept_for_device = 2;

Route written_by(JpegRoute route) {
  switch (route) {
    case JpegRoute::planar:
      return Route::planar;
    case JpegRoute::trim:
      return Route::trimmed;
    default:
      return Route::lossless;
  }
}

}  // namespace

Flight::Flight(const Job& job, const RunOptions& options, const std::atomic<bool>& stop,
               Budgets& budgets, SpareBytes& spare, Seats& seats, LanePool& lanes,
               PlanarDevice* device)
    : job_(job),
      options_(options),
      stop_(stop),
      budgets_(budgets),
      spare_(spare),
      seats_(seats),
      lanes_(lanes),
      device_(device),
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
  jpeg_.reset();
  if (lane_) {
    lane_->clear();
    lanes_.give_back(std::exchange(lane_, nullptr));
  }
  pixel_reservation_ = {};
  spare_.give(std::exchange(file_, {}));
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
  file_reservation_ = seats_.away([&] { return budgets_.files.reserve(job_.file_bytes, stop_); });
  file_ = read_file(job_.input, spare_.take(job_.file_bytes));
  if (job_.copy_verbatim) return;

  if (file_.empty()) throw ImageFileError("the file is empty");
  const auto head = std::span(file_).first(std::min(file_.size(), format_signature_bytes));
  const auto format = format_of_content(head, lower_suffix(job_.input));
  if (!format)
    throw ImageFileError("not a picture in a format that qturn reads, whatever its name says");
  format_ = *format;
  header_ = read_header(file_, format_);
  if (format_ == Format::jpeg && job_.target.value_or(format_) == Format::jpeg)
    jpeg_.emplace(file_, options_.jpeg);
}

void Flight::decode_pixels() {
  if (job_.copy_verbatim || options_.tag_only) return;
  std::vector<Orientation> applied;  // for outputs that are written
  bool only_pixels_are_written = true, any_pixels_are_written = false;
  for (const Outcome& outcome : outcomes_) {
    const Orientation each = applied_to(outcome);
    const Action action = action_for(each);
    if (action != Action::leave && action != Action::skip) applied.push_back(each);
    only_pixels_are_written &= action == Action::turn;
    any_pixels_are_written |= action == Action::turn;
  }
  if (applied.empty()) return;

  if (jpeg_) {
    if (device_ && device_->is_of_use()) turn_on_device(applied);
    if (applied.empty()) return;
    reserve(jpeg_->bytes_needed(header_, applied));
    lane_ = lanes_.take();
    jpeg_->read(applied, lane_->decoded(), stop_, warnings_);
    return;
  }
  reserve(2 * header_.pixel_bytes_total + header_.working_bytes);
  lane_ = lanes_.take();
  // It warns of what encoding leaves out, which a copy and a file with another tag keep.
  std::vector<std::string> unused;
  image_ = qturn::decode(file_, format_, job_.target.value_or(format_), lane_->decoded(), stop_,
                         any_pixels_are_written ? warnings_ : unused);
  lane_->load(image_);
  // Encoding takes more than decoding, and then the file is in the way. Its reservation stays, or
  // another file would come in its place.
  if (only_pixels_are_written) Bytes().swap(file_);  // "= {}" keeps the memory
}

void Flight::reserve(std::uint64_t needed) {
  if (needed > options_.memory_bytes && needed > available_memory())
    throw ImageFileError(fmt::format("{} x {} pixels need {:.1f} GiB of memory, {:.1f} GiB is free",
                                     header_.width, header_.height, gib(needed),
                                     gib(available_memory())));
  pixel_reservation_ = {};  // who holds some and waits for more may wait for ever
  pixel_reservation_ = seats_.away([&] { return budgets_.pixels.reserve(needed, stop_); });
}

// Takes those out of `applied` that the device has turned.
void Flight::turn_on_device(std::vector<Orientation>& applied) {
  if (options_.jpeg.mode == JpegMode::fastest && device_->is_busy() &&
      seats_.free() > options_.threads / kept_for_device) {
    return;
  }
  const auto request = jpeg_->request(applied, stop_);
  if (!request) return;
  reserve((1 << 20) + 2 * request->outputs.size() * file_.size());
  auto made = seats_.away([&] { return device_->turn(*request); });
  if (!made) return;
  jpeg_->accept(*request, std::move(*made), warnings_);
  std::erase_if(applied, [&](Orientation each) { return jpeg_->is_made(each); });
}

Orientation Flight::applied_to(const Outcome& outcome) const {
  return compose(header_.stored, outcome.variant);
}

Flight::Action Flight::action_for(Orientation applied) {
  if (job_.target.value_or(format_) != format_) return Action::turn;
  if (applied == Orientation::identity) {
    if (header_.stored == Orientation::identity)
      return options_.in_place ? Action::leave : Action::copy;
    if (!retagged_) {
      retagged_ = retag(file_, format_, Orientation::identity, MissingTag::stays_absent, warnings_);
    }
    if (retagged_) return Action::retag;
  }
  if (!jpeg_) return Action::turn;
  switch (jpeg_->route(applied)) {
    case JpegRoute::skip:
      return Action::skip;
    case JpegRoute::tag:
      return Action::tag_jpeg;
    default:
      return Action::turn_jpeg;
  }
}

void Flight::write_output(std::size_t index) {
  Outcome& outcome = outcomes_[index];
  const auto write = [&](std::span<const std::byte> content, Route route) {
    put_on_disk(outcome, content, route);
  };
  if (job_.copy_verbatim) return write(file_, Route::copied);

  if (options_.tag_only) return write(retagged(outcome), Route::tagged);
  outcome.applied = applied_to(outcome);
  const Action action = action_for(outcome.applied);
  const Size size = jpeg_ ? jpeg_->turned_size(outcome.applied)
                          : turned_size(outcome.applied, {header_.width, header_.height});
  outcome.width = size.width;
  outcome.height = size.height;
  if (index == 0) {
    for (const Page& page : image_.pages)
      outcome.pixels += static_cast<std::uint64_t>(page.width * page.height);
    if (jpeg_ && action != Action::leave && action != Action::skip)
      outcome.pixels = static_cast<std::uint64_t>(header_.width * header_.height);
  }

  switch (action) {
    case Action::leave:
      outcome.status = Status::skipped;
      outcome.message = "already upright";
      sidecars_of_upright(outcome);
      if (options_.strict) refuse_warnings(outcome);
      return;
    case Action::copy:
      return write(file_, Route::copied);
    case Action::retag:
      return write(*retagged_, Route::tagged);
    case Action::skip:
      outcome.status = Status::skipped;
      outcome.route = Route::skipped;
      outcome.message = jpeg_not_exact;
      return;
    case Action::tag_jpeg:
      outcome.applied = Orientation::identity;
      return write(retagged(outcome), Route::tagged);
    case Action::turn_jpeg: {
      const JpegRoute route = jpeg_->route(outcome.applied);
      if (route == JpegRoute::fail) throw ImageFileError(jpeg_not_exact);
      Bytes turned = finish_jpeg(file_, jpeg_->end(), jpeg_->turn(outcome.applied, stop_),
                                 outcome.applied, size, turn_jpeg, outcome.warnings);
      write(turned, written_by(route));
      spare_.give(std::move(turned));
      if (outcome.route == Route::planar) {
        outcome.codec = jpeg_->is_made(outcome.applied) ? "nvjpeg" : "libjpeg-turbo";
      }
      return;
    }
    case Action::turn:
      break;
  }
  const Format target = job_.target.value_or(format_);
  if (target == format_) refuse_storage_change();
  Bytes encoded =
      encode(lane_->turn(outcome.applied), outcome.applied, target, stop_, outcome.warnings);
  if (target == format_) {
    encoded = finish(std::move(encoded), format_, header_.stored, outcome.applied, size,
                     outcome.warnings);
  }
  write(encoded, Route::reencoded);
}

void Flight::refuse_storage_change() const {
  if (header_.storage_change.empty()) return;
  const bool wants_leave = header_.changes_only_if_allowed && !options_.allow_storage_change;
  if (options_.in_place) {
    throw ImageFileError(
        fmt::format("not turned in place, because {}; use -o{}", header_.storage_change,
                    header_.changes_only_if_allowed ? " with --allow-storage-change" : ""));
  }
  if (wants_leave) {
    throw ImageFileError(fmt::format("not turned, because {}; --allow-storage-change permits that",
                                     header_.storage_change));
  }
}

Bytes Flight::retagged(Outcome& outcome) const {
  outcome.width = header_.width;
  outcome.height = header_.height;
  auto file = retag(file_, format_, applied_to(outcome), MissingTag::is_added, outcome.warnings);
  if (!file) {
    throw ImageFileError(fmt::format(
        "{} has no place for an orientation, so --tag-only cannot turn it", name(format_)));
  }
  if (format_ == Format::webp) {
    outcome.warnings.emplace_back("browsers do not look at the orientation of a WebP");
  }
  return std::move(*file);
}

// Those that go with the copy of a picture that was upright. One that contradicts it is named.
std::vector<Sidecar> Flight::sidecars_of_upright(Outcome& outcome) const {
  if (options_.sidecars == Sidecars::ignore || job_.copy_verbatim) return {};
  const bool are_written = options_.sidecars == Sidecars::turn && !options_.in_place;
  // Nothing would have been done to the others, so whether they could be is not said.
  std::vector<std::string> unused;
  std::vector<Sidecar> sidecars =
      find_sidecars(job_.input, are_written ? outcome.warnings : unused);
  for (const Sidecar& sidecar : sidecars) {
    const std::string says = read_xmp(sidecar.packet).orientation.value_or("1");
    if (says == "1") continue;
    outcome.warnings.push_back(fmt::format(
        "{} beside it says orientation {}, the picture is upright: {}",
        sidecar.path.filename().string(), says, are_written ? "1 beside the copy" : "not changed"));
  }
  if (!are_written) return {};
  for (Sidecar& sidecar : sidecars) {
    sidecar.packet =
        turn_xmp(sidecar.packet, {.size = {outcome.width, outcome.height}}, outcome.warnings);
  }
  return sidecars;
}

std::vector<Sidecar> Flight::turned_sidecars(Outcome& outcome) const {
  if (options_.sidecars == Sidecars::ignore) return {};
  std::vector<Sidecar> sidecars = find_sidecars(job_.input, outcome.warnings);
  if (options_.sidecars == Sidecars::report) {
    for (const Sidecar& sidecar : sidecars) {
      outcome.warnings.push_back(
          fmt::format("{} beside it holds an orientation of its own, which --sidecars would turn",
                      sidecar.path.filename().string()));
    }
    return {};
  }
  const CarrierTurn turn{.stored = header_.stored,
                         .pixels = outcome.applied,
                         // What was not done to the pixels is left to the tag.
                         .tag = compose(inverse(outcome.applied), applied_to(outcome)),
                         .size = {outcome.width, outcome.height},
                         .untrimmed = {header_.width, header_.height}};
  for (Sidecar& sidecar : sidecars) {
    sidecar.packet = turn_xmp(sidecar.packet, turn, outcome.warnings);
  }
  return sidecars;
}

// The picture and its sidecars are one outcome, as far as a file system can do that: whatever takes
// room or rights is done for all of them before the first is in its place, and then only renames
// are left. The picture's comes first, so that a failure never speaks of a picture that was turned.
void Flight::put_on_disk(Outcome& outcome, std::span<const std::byte> content, Route route) const {
  if (stop_) throw Interrupted();
  std::vector<Sidecar> sidecars =
      route == Route::copied ? sidecars_of_upright(outcome) : turned_sidecars(outcome);
  if (options_.strict) refuse_warnings(outcome);
  const IfExists if_exists =
      options_.in_place || options_.replace_existing ? IfExists::replace : IfExists::fail;
  std::vector<StagedFile> staged;
  for (const Sidecar& sidecar : sidecars) {
    staged.emplace_back(options_.in_place ? sidecar.path : sidecar_of(outcome.output, sidecar),
                        std::as_bytes(std::span(sidecar.packet)), sidecar.path, Times::now);
  }
  write_file(outcome.output, content, job_.input, if_exists,
             route == Route::tagged ? Times::now : Times::of_the_other);
  outcome.route = route;
  outcome.status = Status::done;
  for (StagedFile& sidecar : staged) {
    try {
      sidecar.put_in_place(if_exists);
    } catch (const FileError& error) {
      outcome.warnings.push_back(
          fmt::format("the picture is written, its sidecar is not: {}", error.what()));
    }
  }
}

void Flight::refuse_warnings(Outcome& outcome) const {
  std::vector<std::string> warnings = warnings_;
  warnings.insert(warnings.end(), outcome.warnings.begin(), outcome.warnings.end());
  outcome.warnings.clear();
  if (!warnings.empty()) {
    throw ImageFileError(fmt::format("{} (--strict)", fmt::join(warnings, "; ")));
  }
}

void Flight::fail(std::size_t index, const std::string& message) {
  outcomes_[index].status = Status::failed;
  outcomes_[index].route = Route::none;
  outcomes_[index].message = message;
}

}  // namespace qturn
