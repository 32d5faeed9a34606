// Label files of pictures, read and turned.
#ifndef QTURN_SRC_STORE_LABELS_HPP
#define QTURN_SRC_STORE_LABELS_HPP

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "src/labels/label.hpp"
#include "src/metadata/metadata_turn.hpp"
#include "src/store/companion.hpp"

namespace qturn {

/// The frame of labels: the pixels as they are stored, or the picture as a viewer shows it. It
/// matters where a picture is tagged.
enum class LabelsDrawnOn : std::uint8_t { unknown, stored, upright };

struct LabelFile {
  std::filesystem::path input, output;  ///< empty: there is no label
  const LabelFormat* format = nullptr;
  std::optional<Keypoints> keypoints;
};

/// `name`: of the turned picture's file. Throws FileError, with the place in the file, if it cannot
/// be turned: it cannot be read, its frame matters and is unknown, or the pixels were trimmed or
/// turned by the tag alone.
Companion turned_label(const LabelFile& label, const MetadataTurn& turn, LabelsDrawnOn drawn_on,
                       const std::string& name);

}  // namespace qturn

#endif  // QTURN_SRC_STORE_LABELS_HPP
