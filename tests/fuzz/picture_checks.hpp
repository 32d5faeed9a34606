// What is tried with a picture of any format that is decoded.
#pragma once

#include "src/formats/codec/codec.hpp"
#include "tests/fuzz/other_readers.hpp"
#include "tests/fuzz/target.hpp"

namespace qturn::fuzz {

/// What is read and can be turned must come out of a turn and its inverse as it was; what is read
/// without a warning must be whole for `other`, too, with the same pixels. Throws ImageFileError if
/// the file is refused.
void turn_and_back(Input file, const Codec& format, ReadByOther* other = nullptr);

/// Its metadata, and the proof that the file holds what it holds itself.
void check_unturned(Input file, const Codec& format);

/// As a picture of another format. Throws ImageFileError.
void show(Input file, const Codec& format, const Codec& target);

}  // namespace qturn::fuzz
