#include "src/run/flight.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <new>
#include <stdexcept>
#include <utility>

#include "src/picture/file_limits.hpp"
#include "src/sample/sidecars.hpp"

namespace qturn {

Lane* LanePool::take(std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  if (free_.empty()) throw std::logic_error("more pictures on lanes than threads");
  Lane* lane = free_.back();
  free_.pop_back();
  lane->keep_at_most(bytes);
  return lane;
}

std::uint64_t LanePool::keep_at_most(std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  std::uint64_t kept = 0;
  for (const Lane* lane : free_) kept += lane->kept_bytes();
  // The lane that was used longest ago comes first.
  for (auto lane = free_.begin(); lane != free_.end() && kept > bytes; ++lane) {
    kept -= (*lane)->kept_bytes();
    (*lane)->keep_at_most(0);
  }
  return kept;
}

void LanePool::give_back(Lane* lane) {
  const std::lock_guard lock(mutex_);
  free_.push_back(lane);
}

namespace {

// At least this much, for --memory, in few digits.
std::string at_least(std::uint64_t bytes) {
  constexpr std::uint64_t gib = 1 << 30, mib = 1 << 20, step = 64;
  if (bytes > 4 * gib) return fmt::format("{}GiB", (bytes + gib - 1) / gib);
  return fmt::format("{}MiB", (bytes + step * mib - 1) / (step * mib) * step);
}

std::string what_is_in_it(const Header& header) {
  const std::string page = fmt::format("{} x {} pixels", header.width, header.height);
  return header.pages == 1 ? page : fmt::format("{} pages, the first of {}", header.pages, page);
}

}  // namespace

Sentence reason(const std::exception& error) {
  if (dynamic_cast<const std::bad_alloc*>(&error)) return {"out of memory", {Hint::less_memory}};
  const auto* disk = dynamic_cast<const std::filesystem::filesystem_error*>(&error);
  return {disk ? sentence_of(*disk) : error.what(), hints_of(error)};
}

PictureOptions picture_options(const RunOptions& options, const Codec* target) {
  return {.target = target,
          .jpeg = options.jpeg,
          .png = options.png,
          .tag_only = options.tag_only,
          .raw = options.raw,
          .believes_exif = options.believe == Believe::picture,
          .salvage = options.salvage,
          .quality = options.quality,
          .proves = options.verify,
          .limits = options.limits};
}

Flight::Flight(Job job, const Source& source, SampleMemory* memory, Shared& shared)
    : job_(std::move(job)),
      source_(source),
      memory_(memory),
      shared_(shared),
      options_(shared.options),
      start_(std::chrono::steady_clock::now()),
      companions_(
          job_.input, job_.companions(), source,
          {.jpeg = {}, .png = options_.png, .proves = options_.verify, .limits = options_.limits},
          options_.labels_drawn_on, is_made_once()),
      outcomes_(job_.outputs.size()),
      settled_(job_.outputs.size()),
      staged_(job_.outputs.size()) {
  for (std::size_t i = 0; i < outcomes_.size(); ++i) {
    outcomes_[i].job = job_.number;
    outcomes_[i].input = job_.input;
    outcomes_[i].output = job_.outputs[i].path;
    outcomes_[i].key = job_.key;
    outcomes_[i].is_picture = !job_.copy_verbatim;
    outcomes_[i].file_bytes = job_.file_bytes;
    outcomes_[i].variant = compose(options_.orientation, job_.outputs[i].variant);
    outcomes_[i].companions = job_.outputs[i].companions;
    for (const SharedLabel& label : job_.shared_labels)
      outcomes_[i].shared_labels.push_back(label.file);
  }
}

void Flight::read() {
  time_.emplace(shared_.time_limit);
  leave_what_is_done();
  step(&Flight::read_file_and_header);
}

void Flight::decode() {
  step(&Flight::decode_pixels);
  step(&Flight::decode_masks);
}

void Flight::write_outputs() {
  for (std::size_t i = 0; i < outcomes_.size() && !over_; ++i) {
    if (settled_[i]) continue;
    try {
      write_output(i);
    } catch (const Interrupted&) {
      if (time_->is_over()) {
        fail(i, out_of_time());
        continue;
      }
      // Outputs that are written already stay and are reported.
      outcomes_.resize(i);
      over_ = true;
      break;
    } catch (const ProofError& error) {
      const char* const whose = options_.decode_only
                                    ? "its counterpart is wrong"
                                    : "the result was rejected, because it is wrong";
      fail(i, fmt::format("{}: {}", whose, error.what()), Status::rejected);
    } catch (const std::exception& error) {
      fail(i, reason(error));
    }
  }
  if (!outcomes_.empty() && picture_) {
    const std::vector<std::string>& warnings = picture_->warnings();
    std::vector<Sentence>& first = outcomes_.front().warnings;
    first.insert(first.begin(), warnings.begin(), warnings.end());
    for (Sentence& each : first)
      if (each.text == picture_->header().doubt) each.hints = picture_->hints_of_doubt();
    // The reason of a failure is reported once.
    std::erase_if(first,
                  [&](const Sentence& each) { return each.text == outcomes_.front().message; });
  }
  picture_.reset();
  companions_.clear();
  sidecars_ = {};
  if (lane_) {
    lane_->clear();
    shared_.lanes.give_back(std::exchange(lane_, nullptr));
  }
  pixel_reservation_ = {};
  shared_.spare.give(std::exchange(original_.bytes, {}).spare());
  file_reservation_ = {};
}

void Flight::put_in_place(std::size_t index) {
  Outcome& outcome = outcomes_[index];
  if (staged_[index]) {
    std::vector<std::string> warnings;
    try {
      warnings = staged_[index]->put_in_place();
      outcome.status = is_salvaged_ ? Status::salvaged : Status::done;
      outcome.is_whole = staged_[index]->is_whole();
      for (std::size_t each = 0; each < outcome.companions.size(); ++each)
        outcome.companions[each].is_written = staged_[index]->has_placed(each);
    } catch (const std::exception& error) {
      fail(index, reason(error));
    }
    outcome.warnings.insert(outcome.warnings.end(), warnings.begin(), warnings.end());
    staged_[index].reset();
  }
  outcome.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

void Flight::leave_out(std::size_t index, Status status, Route route, Sentence why) {
  staged_[index].reset();
  outcomes_[index].status = status;
  outcomes_[index].route = route;
  outcomes_[index].loss = Loss::none;
  outcomes_[index].message = std::move(why.text);
  outcomes_[index].hints = std::move(why.hints);
}

std::uint64_t Flight::bytes_held() const {
  std::uint64_t bytes = 0;
  for (const auto& staged : staged_) bytes += staged ? staged->bytes_held() : 0;
  return bytes;
}

void Flight::step(void (Flight::*work)()) {
  if (over_) return;
  try {
    (this->*work)();
  } catch (const Interrupted&) {
    if (time_->is_over()) {
      for (std::size_t i = 0; i < outcomes_.size(); ++i)
        if (!settled_[i]) fail(i, out_of_time());
    } else {
      outcomes_.clear();
    }
    over_ = true;
  } catch (const std::exception& error) {
    for (std::size_t i = 0; i < outcomes_.size(); ++i)
      if (!settled_[i]) fail(i, reason(error));
    if (is_settled()) outcomes_.front().warnings.push_back(reason(error));
    over_ = true;
  }
}

// What an interrupted run has done is not read again.
void Flight::leave_what_is_done() {
  for (std::size_t i = 0; i < outcomes_.size(); ++i) {
    try {
      if (shared_.writer.is_done(job_, job_.outputs[i])) {
        outcomes_[i].status = Status::done_before;
        outcomes_[i].message = "done before the interruption";
      } else if (shared_.writer.is_left(job_, job_.outputs[i])) {
        outcomes_[i].status = Status::skipped;
        outcomes_[i].output_exists = true;
        outcomes_[i].message = "the output exists";
      } else {
        continue;
      }
    } catch (const std::exception& error) {
      fail(i, reason(error));
    }
    settled_[i] = true;
  }
  over_ = is_settled() && !job_.tells_stored;
}

void Flight::read_file_and_header() {
  if (!job_.problem.text.empty())
    throw WithHints<ImageFileError>(job_.problem.hints, job_.problem.text);
  if (job_.file_bytes > options_.largest_bytes) refuse_size("its file needs", job_.file_bytes);
  // A file that is larger than the budget for files is read when no other picture is in flight.
  const std::uint64_t all_bytes = job_.file_bytes + bytes_of_companions();
  if (all_bytes > options_.largest_bytes)
    refuse_size("it and the files that belong to it need", all_bytes);
  file_reservation_ = reserved_in(shared_.files, all_bytes);
  original_ = source_.read(job_.input, memory_for_file());
  if (job_.tells_stored && std::ranges::count(settled_, true) > 0) tell_stored();
  over_ = is_settled();
  if (over_ || job_.copy_verbatim || options_.quick) return;
  picture_.emplace(original_.bytes, original_.lower_suffix, picture_options(options_, job_.target));
  companions_.read();
  if (!options_.decode_only) {
    sidecars_ =
        read_sidecars(job_.input, picture_->header().stored, sidecar_options(), shared_.stems);
    if (sidecars_.say) picture_->is_stored(*sidecars_.say);
    return;
  }
  for (Outcome& outcome : outcomes_) outcome.variant = inverse(picture_->header().stored);
}

/// As it is read for labels of many pictures, whatever the options say.
void Flight::tell_stored() {
  const Header header = PictureTurn(original_.bytes, original_.lower_suffix, {}).header();
  for (Outcome& outcome : outcomes_) outcome.stored = {header.stored, header.size()};
}

/// The memory that the companions will take; asked before they are read.
std::uint64_t Flight::bytes_of_companions() const {
  std::uint64_t bytes = 0;
  for (const Companion& each : job_.companions()) {
    try {
      std::uint64_t times = 1;
      // A label is held as read, as parsed and as turned; a sidecar as turned, and also as read if
      // there are several outputs.
      if (each.kind == CompanionKind::label) times = 3;
      if (each.kind == CompanionKind::sidecar && !is_made_once()) times = 2;
      bytes += times * source_.size(each.input);
    } catch (const FileError&) {
      // Reading the label will report what is wrong with it.
      if (each.kind != CompanionKind::label) throw;
    }
  }
  return bytes;
}

FileBytes Flight::memory_for_file() const {
  if (source_.hands_over()) return {};
  if (shared_.device && shared_.device->is_of_use()) return shared_.device->memory(job_.file_bytes);
  return shared_.spare.take(job_.file_bytes);
}

void Flight::decode_pixels() {
  if (!picture_ || options_.plan_only) return;
  std::vector<Orientation> written;
  for (std::size_t i = 0; i < outcomes_.size(); ++i) {
    if (settled_[i]) continue;
    const Outcome& outcome = outcomes_[i];
    const Route route = picture_->plan(outcome.variant).route;
    if (!is_left(route) && route != Route::none) written.push_back(outcome.variant);
  }
  if (written.empty()) return;
  plan_masks(written);
  const std::vector<Orientation> all = written;
  if (shared_.device) {
    if (shared_.device->is_of_use()) turn_on_device(written);
    if (const std::string problem = shared_.device->take_problem(); !problem.empty())
      outcomes_.front().warnings.emplace_back(problem);
  }
  if (written.empty()) return;

  const MemoryNeed need = picture_->memory_needed(written);
  const bool keeps_file = options_.decode_only || picture_->looks_at_file(written);
  const std::uint64_t file = original_.bytes.size();
  // To compare it in any orientation, a JPEG may have to be decoded in two ways.
  std::uint64_t turning =
      options_.decode_only ? (options_.verify ? 2 * need.turning : 0) : need.turning;
  // The proof of a device's results takes more memory while those results are held.
  if (const std::size_t made = all.size() - written.size(); made > 0)
    turning += made * (file + file / 4) + picture_->proof_bytes(all);
  take_lane(std::max(file + need.reading, turning + (keeps_file ? file : 0)));
  picture_->read(written, *lane_, stop());
  // Encoding takes more memory than decoding, so the file is freed before. Its reservation stays.
  // Otherwise another file would take its place.
  if (!keeps_file) original_.bytes = Bytes();
}

void Flight::plan_masks(std::span<const Orientation> written) {
  std::vector<MetadataTurn> turns;
  for (const Orientation variant : written)
    turns.push_back(picture_->metadata_turn(variant, picture_->plan(variant)));
  mask_bytes_ = companions_.plan(turns);
}

// The memory to reserve besides the file's, which is reserved already. `needed` counts the file.
std::uint64_t Flight::besides_file(std::uint64_t needed) const {
  needed += mask_bytes_;
  return needed - std::min(needed, std::min(job_.file_bytes, shared_.files.total()));
}

bool Flight::can_have(std::uint64_t needed) const {
  // Other files stay in memory while this picture is turned.
  const std::uint64_t files = std::min(options_.largest_bytes, shared_.files.total());
  return besides_file(needed) <= options_.largest_bytes - files;
}

// `needed` counts the file.
void Flight::reserve(std::uint64_t needed) {
  const std::uint64_t more = besides_file(needed);
  if (!can_have(needed)) {
    needed += mask_bytes_;
    // The least --memory that is enough: an eighth of it is for files.
    const std::uint64_t pixels = needed - std::min(needed, job_.file_bytes);
    refuse_size(what_is_in_it(picture_->header()) + " need", std::max(needed, pixels + pixels / 7));
  }
  pixel_reservation_ = {};  // a task that holds memory and waits for more may wait for ever
  pixel_reservation_ = reserved_in(shared_.pixels, more);
}

void Flight::take_lane(std::uint64_t needed) {
  reserve(needed);
  lane_ = shared_.lanes.take(needed);
}

// Takes a lane for a result that a device has made, and that the device cannot prove.
void Flight::take_lane_to_prove(Orientation made) {
  const std::uint64_t file = original_.bytes.size();
  take_lane(file + outcomes_.size() * (file + file / 4) + picture_->memory_needed({}).turning +
            picture_->proof_bytes(std::span(&made, 1)));
  picture_->read({}, *lane_, stop());
}

// Waiting does not count as the picture's time.
Reservation Flight::reserved_in(ByteBudget& budget, std::uint64_t bytes) {
  if (auto reserved = budget.reserve_now(bytes)) return std::move(*reserved);
  return time_->while_paused([&] { return budget.reserve(bytes, shared_.stop); });
}

void Flight::refuse_size(const std::string& who_needs, std::uint64_t needed) const {
  throw WithHints<ImageFileError>({{Hint::more_memory, at_least(needed)}},
                                  fmt::format("{} {} of memory, more than {}MiB", who_needs,
                                              at_least(needed), options_.largest_bytes >> 20));
}

// Removes from `orientations` what the device has turned.
void Flight::turn_on_device(std::vector<Orientation>& orientations) {
  JpegDevice& device = *shared_.device;
  const auto request = picture_->request(orientations);
  if (!request) return;
  // An output is about as long as the file. The file is copied only if the device cannot read it
  // where it lies, and the copy is freed before there are outputs.
  const std::uint64_t output = original_.bytes.size() + original_.bytes.size() / 4;
  // With --verify a result is copied and turned back.
  const std::size_t outputs = request->outputs() + (options_.verify ? 2 : 0);
  const std::uint64_t needed = (1 << 20) + 2 * original_.bytes.size() + outputs * output;
  if (!can_have(needed)) return;  // one output at a time needs less
  reserve(needed);
  auto made = time_->while_paused([&] { return device.turn(*request); });
  if (!made) return;
  picture_->accept(*request, std::move(*made));
  std::erase_if(orientations, [&](Orientation each) { return picture_->is_made(each); });
}

// Whether nothing is written for an output of this route.
bool Flight::is_left(Route route) const {
  return route == Route::skipped || (route == Route::copied && options_.in_place);
}

void Flight::write_output(std::size_t index) {
  Outcome& outcome = outcomes_[index];
  if (job_.copy_verbatim && options_.plan_only) {
    outcome.route = Route::copied;
    outcome.status = Status::done;
    return;
  }
  if (job_.copy_verbatim || options_.decode_only) {
    if (picture_) {
      outcome.width = picture_->header().width;
      outcome.height = picture_->header().height;
    }
    return put(index, original_.bytes, Route::copied);
  }

  const TurnOutcome planned = picture_->plan(outcome.variant);
  outcome.applied = planned.applied;
  outcome.width = planned.size.width;
  outcome.height = planned.size.height;
  outcome.loss = planned.loss;
  if (index == 0) outcome.pixels = picture_->pixels_read();
  if (is_left(planned.route)) {
    outcome.status = Status::skipped;
    if (planned.route == Route::skipped) {
      outcome.route = Route::skipped;
      outcome.message = planned.message;
    } else {
      outcome.message = "already upright";
      (void)turned_sidecars(sidecars_, turn_of(index), outcome.output, sidecar_options(),
                            outcome.warnings);
      if (options_.strict) refuse_warnings(outcome);
    }
    return;
  }
  refuse_storage_change(outcome.variant);
  outcome.stale_metadata = stale_metadata(planned, index);
  outcome.kept_unknown = planned.kept_unknown;
  outcome.kept_maker_note = planned.kept_maker_note;
  refuse_stale_metadata(outcome);
  if (options_.plan_only) {
    if (planned.route == Route::none) picture_->refuse(planned);
    if (options_.strict) refuse_warnings(outcome);
    outcome.route = planned.route;
    outcome.status = Status::done;
    return;
  }
  std::vector<std::string> warnings;
  FileBytes turned = picture_->turn(outcome.variant, stop(), warnings);
  outcome.warnings.insert(outcome.warnings.end(), warnings.begin(), warnings.end());
  const std::span<const std::byte> bytes =
      planned.route == Route::copied ? std::span<const std::byte>(original_.bytes) : turned;
  put(index, bytes, planned.route, std::move(turned));
  outcome.message = picture_->damage();
  is_salvaged_ = !outcome.message.empty();
  if (planned.route == Route::planar) {
    outcome.codec = picture_->is_made(outcome.variant) ? "qturn" : "libjpeg-turbo";
  }
}

void Flight::refuse_storage_change(Orientation orientation) const {
  const std::string change = picture_->storage_change(orientation);
  if (change.empty()) return;
  const bool wants_leave = picture_->header().changes_only_if_allowed;
  if (options_.in_place) {
    throw WithHints<ImageFileError>(
        {wants_leave ? Hint::keep_original_and_allow_storage_change : Hint::keep_original},
        "not turned in place, because " + change);
  }
  if (wants_leave && !options_.allow_storage_change) {
    throw WithHints<ImageFileError>({Hint::allow_storage_change}, "not turned, because " + change);
  }
}

std::vector<std::string> Flight::stale_metadata(const TurnOutcome& planned, std::size_t index) {
  std::vector<std::string> stale = planned.stale_metadata;
  if (!moves_pixels(planned)) return stale;
  for (std::string& each : companions_.stale_metadata(turn_of(index)))
    stale.push_back(std::move(each));
  return stale;
}

void Flight::refuse_stale_metadata(const Outcome& outcome) const {
  if (options_.strict && !outcome.kept_unknown.empty())
    throw WithHints<ImageFileError>(
        {Hint::be_less_strict},
        fmt::format(
            "keeps metadata that qturn does not know, and that may depend on the orientation: {}",
            fmt::join(outcome.kept_unknown, ", ")));
  if (outcome.stale_metadata.empty()) return;
  const std::string stale = fmt::format("{}", fmt::join(outcome.stale_metadata, ", "));
  if (options_.in_place && !options_.allow_stale_metadata) {
    throw WithHints<ImageFileError>(
        {Hint::allow_stale_metadata},
        "not turned in place, because this would no longer be true: " + stale);
  }
  if (options_.strict)
    throw WithHints<ImageFileError>({Hint::be_less_strict},
                                    "no longer true after the turn: " + stale);
}

/// The identity if the input is not a picture.
MetadataTurn Flight::turn_of(std::size_t index) const {
  if (!picture_) return {};
  const Outcome& outcome = outcomes_[index];
  return picture_->metadata_turn(
      outcome.variant,
      {.applied = outcome.applied, .size = {outcome.width, outcome.height}, .message = {}});
}

SampleWriter::Companions Flight::companions_as_they_are(std::size_t index) const {
  SampleWriter::Companions companions;
  for (const Companion& each : job_.outputs[index].companions) {
    companions.push_back(read_companion(each.input, source_));
    companions.back().kind = each.kind;
  }
  return companions;
}

SampleWriter::Companions Flight::turned_companions(std::size_t index,
                                                   std::span<const std::byte> bytes,
                                                   const MetadataTurn& turn,
                                                   std::vector<Sentence>& all_warnings) {
  const JobOutput& output = job_.outputs[index];
  SampleWriter::Companions companions =
      turned_sidecars(sidecars_, turn, output.path, sidecar_options(), all_warnings);
  std::vector<std::string> warnings;
  const bool is_left = options_.in_place && turn.leaves_upright();
  for (const SharedLabel& label : job_.shared_labels)
    if (!is_left) (void)turn_of_shared_label(label, turn, options_.labels_drawn_on);
  for (const Companion& each : output.companions)
    if (!is_left || each.kind == CompanionKind::mask)
      companions.push_back(
          companions_.turn(each, {turn, job_.input, output.path, bytes}, stop(), warnings));
  all_warnings.insert(all_warnings.end(), warnings.begin(), warnings.end());
  return companions;
}

// `memory` owns `bytes` if nobody needs them afterwards.
void Flight::put(std::size_t index, std::span<const std::byte> bytes, Route route,
                 FileBytes memory) {
  Outcome& outcome = outcomes_[index];
  if (stop()) throw Interrupted();
  const MetadataTurn turn = turn_of(index);
  if (picture_) outcome.stored = turn.before();
  SampleWriter::Companions companions;
  if (options_.decode_only && !options_.verify)
    companions = companions_as_they_are(index);
  else if (picture_)
    companions = turned_companions(index, bytes, turn, outcome.warnings);
  for (Companion& each : companions) each.position = source_.position(each.input);
  for (const Companion& each : companions)
    if (each.sides) outcome.sides.insert(each.sides->begin(), each.sides->end());
  if (options_.strict) refuse_warnings(outcome);
  std::unique_ptr<StagedResult> staged =
      shared_.writer.stage({.job = job_,
                            .output = job_.outputs[index],
                            .position = source_.position(job_.input),
                            .input_state = original_.state,
                            .input_hash = original_.hash,
                            .stored = job_.shared_labels.empty() ? std::nullopt : outcome.stored,
                            .bytes = bytes},
                           companions);
  for (std::string& warning : staged->warnings()) outcome.warnings.emplace_back(std::move(warning));
  if (options_.strict) refuse_warnings(outcome);
  if (options_.verify) prove(index, turn, *staged, companions, memory);
  shared_.spare.give(std::move(memory).spare());
  if (memory_) memory_->add_result(staged->bytes_held());
  outcome.result_bytes = bytes.size();
  if (const std::vector<ContentHash> hashes = staged->hashes(); !hashes.empty()) {
    outcome.source = original_.hash;
    outcome.result = hashes.front();
    outcome.companions.clear();
    for (std::size_t i = 0; i < companions.size(); ++i) {
      const Companion& each = companions[i];
      // Outcomes may wait for others, so they do not keep what was written.
      outcome.companions.push_back({.kind = each.kind,
                                    .input = each.input,
                                    .output = each.output,
                                    .rule = each.rule,
                                    .source = each.source,
                                    .result = hashes[i + 1]});
    }
  }
  staged_[index] = std::move(staged);
  outcome.route = route;
}

// The picture is read back into `memory`, where it lay before it was written, so it takes no more.
void Flight::prove(std::size_t index, MetadataTurn turn, const StagedResult& staged,
                   const SampleWriter::Companions& companions, FileBytes& memory) {
  memory = staged.read_back(0, std::move(memory));
  if (options_.decode_only) {
    turn = picture_->turn_in(memory, stop());
    outcomes_[index].applied = turn.pixels;
  } else if (picture_) {
    const Orientation variant = outcomes_[index].variant;
    const bool is_data_proved = is_proved_on_device(variant, memory);
    if (!is_data_proved && !lane_ && picture_->is_made(variant)) take_lane_to_prove(variant);
    picture_->prove(variant, memory, stop(), is_data_proved);
  } else if (!std::ranges::equal(memory, original_.bytes)) {
    throw ProofError("the copy is not the same as the original");
  }
  const TurnedPicture picture{turn, job_.input, job_.outputs[index].path, original_.bytes};
  for (std::size_t i = 0; i < companions.size(); ++i)
    companions_.prove(companions[i], picture, staged.read_back(i + 1, {}), stop());
}

bool Flight::is_proved_on_device(Orientation variant, std::span<const std::byte> result) {
  JpegDevice* const device = shared_.device;
  if (!device || !device->is_of_use()) return false;
  const auto ask = [&](const JpegRequest& request) {
    return time_->while_paused([&] { return device->turn(request); });
  };
  return picture_->is_proved_by(ask, variant, result);
}

void Flight::refuse_warnings(Outcome& outcome) const {
  std::vector<std::string> warnings;
  Hints hints;
  if (picture_) {
    warnings = picture_->warnings();
    hints = picture_->hints_of_doubt();
  }
  for (Sentence& warning : std::exchange(outcome.warnings, {})) {
    warnings.push_back(std::move(warning.text));
    if (!warning.hints.empty()) hints = std::move(warning.hints);
  }
  // Not a warning, because it may be true of every third photograph.
  if (outcome.loss == Loss::unasked) {
    const std::string why = picture_->plan(outcome.variant).message;
    if (!why.empty()) {
      warnings.push_back(why);
      hints = {Hint::keep_edges_lossless};
    }
  }
  if (warnings.empty()) return;
  hints.push_back(Hint::be_less_strict);
  throw WithHints<ImageFileError>(std::move(hints), fmt::format("{}", fmt::join(warnings, "; ")));
}

Sentence Flight::out_of_time() const {
  const double seconds = shared_.time_limit.seconds();
  return {fmt::format("took longer than the limit of {} seconds", seconds),
          {{Hint::raise_limit, fmt::format("seconds={}", 2 * seconds)}}};
}

void Flight::fail(std::size_t index, Sentence why, Status status) {
  outcomes_[index].stale_metadata.clear();
  outcomes_[index].kept_unknown.clear();
  outcomes_[index].kept_maker_note = false;
  leave_out(index, status, Route::none, std::move(why));
}

}  // namespace qturn
