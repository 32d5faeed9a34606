#include "src/store/labels.hpp"

#include <fmt/format.h>

#include "src/labels/label_text.hpp"
#include "src/picture/errors.hpp"

namespace qturn {
namespace {

/// What is done to the labels.
Orientation turn_of_labels(const MetadataTurn& turn, LabelsDrawnOn drawn_on) {
  if (turn.tag != Orientation::identity) {
    throw ImageFileError(
        "a turn that is stored in the tag does not move the pixels that labels lie on; leave out "
        "--tag-only and --jpeg-edges tag");
  }
  if (turn.whole_size() != turn.old_size())
    throw ImageFileError("labels cannot follow trimmed pixels; leave out --jpeg-edges trim");
  if (turn.stored != Orientation::identity && drawn_on == LabelsDrawnOn::unknown) {
    throw ImageFileError(
        fmt::format("the picture is tagged with orientation {}; say with --labels-drawn-on stored "
                    "or upright on "
                    "which pixels the labels were drawn",
                    static_cast<int>(turn.stored)));
  }
  return drawn_on == LabelsDrawnOn::stored ? turn.pixels : turn.view();
}

}  // namespace

Companion turned_label(const LabelFile& label, const MetadataTurn& turn, LabelsDrawnOn drawn_on,
                       const std::string& name) {
  const auto fail = [&](const std::string& why) {
    throw FileError(label.input.string() + why, label.input, {});
  };
  Companion companion;
  try {
    const Orientation orientation = turn_of_labels(turn, drawn_on);
    companion = read_companion(label.input);
    companion.output = label.output;
    companion.is_required = true;
    const Size size = drawn_on == LabelsDrawnOn::upright ? turned_size(turn.stored, turn.old_size())
                                                         : turn.old_size();
    companion.text = label.format->turn(companion.text, {orientation, size, name, label.keypoints});
  } catch (const LabelError& error) {
    fail(fmt::format(":{}", error.what()));
  } catch (const ImageFileError& error) {
    fail(fmt::format(": {}", error.what()));
  } catch (const std::filesystem::filesystem_error& error) {
    fail(fmt::format(" cannot be read: {}", error.code().message()));
  }
  return companion;
}

}  // namespace qturn
