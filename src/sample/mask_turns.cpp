#include "src/sample/mask_turns.hpp"

#include <fmt/format.h>

#include <utility>

#include "src/picture/errors.hpp"

namespace qturn {
namespace {

namespace fs = std::filesystem;

/// Calls `work()`; names the mask if that throws.
template <typename Work>
auto with_name(const fs::path& mask, Work work) {
  try {
    return work();
  } catch (const ProofError& error) {
    throw ProofError(fmt::format("{}: {}", mask.string(), error.what()));
  } catch (const ImageFileError& error) {
    throw WithHints<ImageFileError>(hints_of(error),
                                    fmt::format("{}: {}", mask.string(), error.what()));
  }
}

void refuse_inexact(const PictureTurn& mask) {
  if (mask.header().stored != Orientation::identity)
    throw ImageFileError("a mask with an orientation tag of its own is not turned");
  const TurnOutcome turned = mask.plan(Orientation::rotate90);
  if (turned.route != Route::reencoded || turned.loss != Loss::none) {
    throw ImageFileError(
        fmt::format("a mask in the format {} is not turned, because its pixels "
                    "may change; store it as a PNG",
                    mask.format().name));
  }
  const std::string change = mask.storage_change(Orientation::rotate90);
  if (!change.empty() && mask.header().changes_only_if_allowed)
    throw ImageFileError("a mask is not turned, because " + change);
}

}  // namespace

MaskTurns::Mask::Mask(Original file, const PictureOptions& options)
    : original(std::move(file)), picture(original.bytes, original.lower_suffix, options) {}

void MaskTurns::read(const Source& source) {
  for (const fs::path& input : inputs_) {
    with_name(input, [&] {
      masks_.push_back(std::make_unique<Mask>(source.read(input, {}), options_));
      refuse_inexact(masks_.back()->picture);
    });
  }
}

std::uint64_t MaskTurns::plan(std::span<const MetadataTurn> turns, LabelsDrawnOn drawn_on) {
  drawn_on_ = drawn_on;
  if (masks_.empty()) return 0;
  for (const MetadataTurn& turn : turns) {
    try {
      orientations_.push_back(turn_of_labels(turn, drawn_on));
    } catch (const ImageFileError&) {
      continue;  // turn() says it
    }
  }
  std::uint64_t needed = 0;
  for (const auto& mask : masks_) {
    const MemoryNeed need = mask->picture.memory_needed(orientations_);
    needed += std::max(need.reading, need.turning);
  }
  return needed;
}

void MaskTurns::decode(const std::atomic<bool>& stop) {
  if (orientations_.empty()) return;
  for (const auto& mask : masks_) {
    with_name(mask->original.path, [&] {
      mask->lane = make_cpu_lane(0);
      mask->picture.read(orientations_, *mask->lane, stop);
    });
  }
}

std::vector<std::string> MaskTurns::stale_metadata(const MetadataTurn& turn) const {
  std::vector<std::string> stale;
  for (const auto& mask : masks_) {
    try {
      const Orientation orientation = turn_of_labels(turn, drawn_on_);
      for (const std::string& each : mask->picture.plan(orientation).stale_metadata)
        stale.push_back(fmt::format("{} in {}", each, mask->original.path.string()));
    } catch (const ImageFileError&) {
      continue;  // turn() says it
    }
  }
  return stale;
}

Companion MaskTurns::turn(std::size_t index, const MetadataTurn& turn, const fs::path& output,
                          const std::atomic<bool>& stop, std::vector<std::string>& warnings) {
  Mask& mask = *masks_[index];
  const fs::path& path = mask.original.path;
  return with_name(path, [&] {
    const Orientation orientation = turn_of_labels(turn, drawn_on_);
    const Size size = size_for_labels(turn, drawn_on_);
    if (const Size own = mask.picture.header().size(); own != size) {
      throw ImageFileError(fmt::format("is {} x {}, the picture is {} x {}", own.width, own.height,
                                       size.width, size.height));
    }
    std::vector<std::string> own_warnings;
    Companion companion{.input = path,
                        .output = output,
                        .bytes = mask.picture.turn(orientation, stop, own_warnings),
                        .state = mask.original.state,
                        .hash = mask.original.hash,
                        .kind = CompanionKind::mask};
    if (companion.bytes.empty())
      companion.bytes.assign(mask.original.bytes.begin(), mask.original.bytes.end());
    for (const std::string& warning : own_warnings)
      warnings.push_back(fmt::format("{}: {}", path.string(), warning));
    return companion;
  });
}

void MaskTurns::prove(std::size_t index, const MetadataTurn& turn,
                      std::span<const std::byte> result, const std::atomic<bool>& stop) {
  Mask& mask = *masks_[index];
  with_name(mask.original.path, [&] {
    const Orientation orientation = turn_of_labels(turn, drawn_on_);
    // Another program may have written it again.
    if (orientation == Orientation::identity &&
        mask.picture.turn_in(result, stop).pixels == orientation)
      return;
    mask.picture.prove(orientation, result, stop);
  });
}

}  // namespace qturn
