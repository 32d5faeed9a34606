// What `qturn check` does with one file, of any format.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/formats/codec/codec.hpp"
#include "src/metadata/metadata_check.hpp"

namespace qturn {

/// What of a file's orientation metadata does not agree or is damaged; sidecars may be handed over
/// to what is returned. Reads no pixel. Throws as Codec::check_limits and Codec::read_header.
MetadataCheck check_metadata(std::span<const std::byte> file, const Codec& codec,
                             const Limits& limits);

/// The findings of check_metadata() in one picture in memory, which is decoded first unless
/// `quick`. `suffix` counts where the content cannot tell. Throws ImageFileError for any damage.
std::vector<std::string> check_picture(std::span<const std::byte> file, std::string_view suffix,
                                       bool quick, const Limits& limits);

}  // namespace qturn
