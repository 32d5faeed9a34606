#include "src/sample/label_turn.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "src/labels/geometry.hpp"
#include "src/labels/labelled_images.hpp"
#include "src/labels/swap_pairs.hpp"
#include "src/labels/text/label_text.hpp"
#include "src/picture/errors.hpp"
#include "src/picture/text.hpp"

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
  if (!keeps_shares(orientation) && !label.across_problem.empty()) fail(label.across_problem);
  if (mirrors(orientation) && !label.mirror_problem.empty())
    fail(label.mirror_problem, label.mirror_hints);
  return orientation;
}

namespace {

/// Whether the turned label lies beside its picture, and the label did not.
bool comes_beside(const LabelFile& label, const TurnedPicture& picture) {
  const auto is_beside = [](const fs::path& a, const fs::path& b) {
    return a.parent_path() == b.parent_path();
  };
  return is_beside(label.output, picture.output) && !is_beside(label.input, picture.input);
}

}  // namespace

Companion LabelTurns::turn(const LabelFile& label, const TurnedPicture& picture,
                           LabelsDrawnOn drawn_on) {
  const MetadataTurn& turn = picture.turn;
  const auto fail = [&](const std::string& why, Hints hints = {}) {
    throw WithHints<FileError>(std::move(hints), label.input.string() + why, label.input,
                               std::error_code());
  };
  Companion turned{.input = label.input, .output = label.output, .kind = CompanionKind::label};
  try {
    const Orientation orientation = turn_of_labels(turn, drawn_on);
    if (!file_) file_ = read_companion(label.input, source_);
    turned.state = file_->state;
    turned.hash = file_->hash;
    if (mirrors(orientation)) turned.sides = sides(label);
    if (!parsed_) parsed_ = label.format->parse(file_->text);
    turned.text = parsed_->turned({.orientation = orientation,
                                   .size = size_for_labels(turn, drawn_on),
                                   .name = picture.output.filename().native(),
                                   .keypoints = label.keypoints,
                                   .swap = label.swap,
                                   .picture = picture.bytes,
                                   .comes_beside = comes_beside(label, picture)});
  } catch (const LabelError& error) {
    fail(fmt::format(":{}", error.what()), hints_of(error));
  } catch (const ImageFileError& error) {
    fail(fmt::format(": {}", error.what()), hints_of(error));
  } catch (const std::filesystem::filesystem_error& error) {
    fail(fmt::format(" cannot be read: {}", error.code().message()));
  }
  return turned;
}

/// Names of classes in it that are left or right, and stay so.
const std::set<std::string>& LabelTurns::sides(const LabelFile& label) {
  if (sides_) return *sides_;
  sides_.emplace();
  if (!may_name_a_side(file_->text)) return *sides_;
  for (const LabelShape& shape : label.format->read(file_->text, label.keypoints).shapes)
    if (names_a_side(shape.category) && !label.swap.contains(shape.category))
      sides_->insert(shape.category);
  return *sides_;
}

void LabelTurns::clear() {
  parsed_.reset();
  file_.reset();
}

void LabelTurns::prove(const LabelFile& label, const TurnedPicture& picture, LabelsDrawnOn drawn_on,
                       std::string_view result) try {
  const Orientation applied = turn_of_labels(picture.turn, drawn_on);
  const Size size = size_for_labels(picture.turn, drawn_on);
  const std::string name = picture.input.filename().native();
  const auto turned = [&](std::string_view text, Orientation orientation, Size before) {
    return label.format->parse(text)->turned({.orientation = orientation,
                                              .size = before,
                                              .name = name,
                                              .keypoints = label.keypoints,
                                              .swap = label.swap,
                                              .picture = picture.bytes,
                                              .comes_beside = comes_beside(label, picture)});
  };
  const auto twice = [&](std::string_view text) {
    constexpr Orientation half = Orientation::rotate180;
    return turned(turned(text, half, size), half, size);
  };
  const std::string expected = twice(file_->text);
  const std::string found = twice(turned(result, inverse(applied), turned_size(applied, size)));
  const auto [was, is] = std::ranges::mismatch(expected, found);
  if (was == expected.end() && is == found.end()) return;
  const auto at = static_cast<std::size_t>(was - expected.begin());
  const TextPlace place = LabelText(expected).place_of(std::string_view(expected).substr(at, 0));
  const auto line = [&](const std::string& all) {
    const std::size_t begin = at == 0 ? 0 : all.rfind('\n', at - 1) + 1;
    return message_text(
        all.substr(begin, std::min<std::size_t>(all.find('\n', begin) - begin, 80)));
  };
  throw ProofError(fmt::format("turned back, {}:{} '{}' expected, '{}' found", place.line,
                               place.column, line(expected), line(found)));
} catch (const ProofError& error) {
  throw ProofError(fmt::format("{}: {}", label.output.string(), error.what()));
} catch (const LabelError& error) {
  throw ProofError(
      fmt::format("{}: it cannot be turned back: {}", label.output.string(), error.what()));
}

}  // namespace qturn
