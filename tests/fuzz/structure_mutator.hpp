// Changes the structure of a file and leaves it one, so that fuzzing reaches what lies behind it:
// the segments of a JPEG, the chunks of a PNG, the directories of a TIFF, the boxes of HEIC, AVIF
// and JPEG XL, the members of a tar. Lengths, checksums, counts and the order of entries are right
// afterwards; what they hold need not be.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "src/picture/bytes.hpp"

namespace qturn::fuzz {

/// Changes `size` bytes that may become `most`, and returns how many there are now: what
/// LLVMFuzzerMutate does.
using MutateBytes = std::size_t (*)(std::uint8_t* data, std::size_t size, std::size_t most);

/// The file with one change: a part inserted, deleted, duplicated, exchanged with another, of
/// another type or with other content. Content that is a structure itself (Exif in a JPEG, boxes
/// in a box) may get the change. The same seed makes the same change. Empty if the file has no
/// structure.
Bytes mutated_structure(std::span<const std::byte> file, std::uint32_t seed, MutateBytes mutate);

}  // namespace qturn::fuzz
