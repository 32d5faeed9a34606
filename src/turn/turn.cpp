#include <qturn/pictures.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <stdexcept>
#include <utility>

#include "src/formats/table.hpp"
#include "src/turn/lane.hpp"
#include "src/turn/picture_turn.hpp"

namespace qturn {
namespace {

PictureTurn opened(std::span<const std::byte> file, Orientation orientation,
                   const TurnOptions& options) {
  if (!is_valid(orientation)) {
    throw std::invalid_argument(
        fmt::format("an orientation is 1 to 8, not {}", static_cast<unsigned>(orientation)));
  }
  const Codec* target = codec_of_name(options.format);
  if (!target && !options.format.empty()) {
    throw std::invalid_argument(
        fmt::format("'{}' is not one of {}", options.format, format_names(", ")));
  }
  if (options.quality && (*options.quality < 1 || *options.quality > 100)) {
    throw std::invalid_argument(fmt::format("a quality is 1 to 100, not {}", *options.quality));
  }
  if (options.quality && !(target && target->takes_quality)) {
    throw std::invalid_argument("a quality is for the formats jpeg and webp, which lose some");
  }
  return opened_in_memory(file, options.suffix,
                          {.target = target,
                           .jpeg = options.jpeg,
                           .png = options.png,
                           .tag_only = options.tag_only,
                           .believes_exif = options.believe_exif,
                           .quality = options.quality,
                           .limits = options.limits});
}

}  // namespace

Turned turn(const void* file, std::size_t bytes, Orientation orientation,
            const TurnOptions& options) {
  const std::unique_ptr<Lane> lane = make_cpu_lane(0);
  return turn_in(*lane, 0, {static_cast<const std::byte*>(file), bytes}, orientation, options);
}

Turned turn_in(Lane& lane, std::size_t kept_bytes, std::span<const std::byte> source,
               Orientation orientation, const TurnOptions& options) {
  const auto clear = [&](Lane* used) {
    used->clear();
    used->keep_at_most(kept_bytes);
  };
  const std::unique_ptr<Lane, decltype(clear)> cleared(&lane, clear);
  PictureTurn picture = opened(source, orientation, options);
  const std::string refusal = refusal_in_memory(picture, orientation, options.allow_storage_change);
  if (!refusal.empty()) throw ImageFileError(refusal);

  const std::atomic<bool> never{false};
  const TurnOutcome outcome = picture.plan(orientation);
  if (outcome.route != Route::skipped) {
    picture.read(std::span(&orientation, 1), lane, never);
  }
  Turned turned{.bytes = {}, .outcome = outcome, .warnings = picture.warnings()};
  turned.bytes = picture.turn(orientation, never, turned.warnings);
  warn_of_stale_metadata(outcome.stale_metadata, turned.warnings);
  if (turned.bytes.empty()) turned.bytes.assign(source.begin(), source.end());
  return turned;
}

TurnPlan plan_turn(const void* file, std::size_t bytes, Orientation orientation,
                   const TurnOptions& options) {
  const PictureTurn picture =
      opened({static_cast<const std::byte*>(file), bytes}, orientation, options);
  const Header& header = picture.header();
  const MemoryNeed need = picture.memory_needed(std::span(&orientation, 1));
  return {.outcome = picture.plan(orientation),
          .format = std::string(picture.format().name),
          .source = header.size(),
          .stored = header.stored,
          .pages = header.pages,
          .memory_bytes = std::max(need.reading, need.turning),
          .refusal = refusal_in_memory(picture, orientation, options.allow_storage_change)};
}

}  // namespace qturn
