#include "src/sample/label_turn.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "src/labels/geometry.hpp"
#include "src/labels/labelled_images.hpp"
#include "src/picture/errors.hpp"

namespace qturn {

namespace fs = std::filesystem;

Orientation turn_of_labels(const MetadataTurn& turn, LabelsDrawnOn drawn_on) {
  if (turn.tag != Orientation::identity) {
    throw WithHints<ImageFileError>(
        {Hint::move_pixels},
        "a turn that is stored in the tag does not move the pixels that labels and masks lie on");
  }
  if (turn.whole_size() != turn.old_size())
    throw WithHints<ImageFileError>({Hint::keep_edges},
                                    "labels and masks cannot follow trimmed pixels");
  if (turn.stored != Orientation::identity && drawn_on == LabelsDrawnOn::unknown) {
    throw WithHints<ImageFileError>(
        {Hint::say_labels_drawn_on},
        fmt::format(
            "the picture is tagged with orientation {}, and nothing says on which pixels the "
            "labels were drawn",
            static_cast<int>(turn.stored)));
  }
  return drawn_on == LabelsDrawnOn::stored ? turn.pixels : turn.view();
}

Size size_for_labels(const MetadataTurn& turn, LabelsDrawnOn drawn_on) {
  return drawn_on == LabelsDrawnOn::upright ? turned_size(turn.stored, turn.old_size())
                                            : turn.old_size();
}

Orientation turn_of_shared_label(const SharedLabel& label, const MetadataTurn& turn,
                                 LabelsDrawnOn drawn_on) {
  const auto fail = [&](const std::string& why, Hints hints = {}) {
    throw WithHints<FileError>(std::move(hints), fmt::format("{}:{}", label.file.string(), why),
                               label.file, std::error_code());
  };
  const std::string place = fmt::format("{}:{}: ", label.place.line, label.place.column);
  Orientation orientation{};
  try {
    orientation = turn_of_labels(turn, drawn_on);
  } catch (const ImageFileError& error) {
    fail(place + error.what(), hints_of(error));
  }
  const Size size = size_for_labels(turn, drawn_on);
  if (label.size && !(*label.size == size)) {
    fail(fmt::format("{}says {} x {}, the picture is {} x {}", place, label.size->width,
                     label.size->height, size.width, size.height));
  }
  if (label.box_size == size) {
    fail(place + box_as_large_as_picture);
  }
  if (label.boxes_reach &&
      (label.boxes_reach->width > size.width || label.boxes_reach->height > size.height)) {
    if (label.is_order_named) fail(place + "a box goes beyond the picture");
    fail(place + box_beyond_picture, {{Hint::choose_label_format, "huggingface:voc"}});
  }
  if (!label.problem.empty()) fail(label.problem);
  if (!keeps_percentages(orientation) && !label.percent_problem.empty())
    fail(label.percent_problem);
  if (mirrors(orientation) && !label.mirror_problem.empty())
    fail(label.mirror_problem, label.mirror_hints);
  return orientation;
}

namespace {

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

MaskTurns::Mask& MaskTurns::mask_of(const fs::path& input) {
  return *masks_.at(static_cast<std::size_t>(std::ranges::find(inputs_, input) - inputs_.begin()));
}

Companion MaskTurns::turn(const fs::path& input, const MetadataTurn& turn, const fs::path& output,
                          const std::atomic<bool>& stop, std::vector<std::string>& warnings) {
  Mask& mask = mask_of(input);
  const fs::path& path = mask.original.path;
  return with_name(path, [&] {
    const Orientation orientation = turn_of_labels(turn, drawn_on_);
    const Size size = size_for_labels(turn, drawn_on_);
    if (const Size own = mask.picture.header().size(); own != size) {
      throw ImageFileError(fmt::format("is {} x {}, the picture is {} x {}", own.width, own.height,
                                       size.width, size.height));
    }
    std::vector<std::string> own_warnings;
    Companion companion{
        .kind = CompanionKind::mask, .input = path, .output = output, .source = mask.original.hash};
    companion.bytes = mask.picture.turn(orientation, stop, own_warnings);
    companion.state = mask.original.state;
    if (companion.bytes.empty())
      companion.bytes.assign(mask.original.bytes.begin(), mask.original.bytes.end());
    for (const std::string& warning : own_warnings)
      warnings.push_back(fmt::format("{}: {}", path.string(), warning));
    return companion;
  });
}

void MaskTurns::prove(const fs::path& input, const MetadataTurn& turn,
                      std::span<const std::byte> result, const std::atomic<bool>& stop) {
  Mask& mask = mask_of(input);
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
