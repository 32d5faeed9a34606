// What the module libqturn_openimageio.so gives to the rows of the table.
//
// OpenImageIO is larger than all other libraries together and takes five times as long to load.
// So only the module is linked with it, and codec.cpp loads the module when a picture needs it.
// The module has copies of its own of the code that it shares with the program.
#pragma once

#include "src/formats/codec/codec.hpp"

namespace qturn::oiio {

/// Whether `head` begins a JPEG 2000 in boxes, or else its codestream alone.
inline bool is_jp2(std::span<const std::byte> head) {
  using std::string_view_literals::operator""sv;
  return text_of(head).starts_with("\0\0\0\x0cjP  \r\n\x87\n"sv);
}
inline bool is_codestream(std::span<const std::byte> head) {
  return text_of(head).starts_with("\xff\x4f\xff\x51");
}

/// The functions of a row that need OpenImageIO, as Codec describes them. decode() leaves
/// Image::format to the row.
struct ModuleRow {
  decltype(Codec::check_limits) check_limits = nullptr;
  decltype(Codec::read_header) read_header;
  decltype(Codec::decode) decode;
  decltype(Codec::encode) encode;
  decltype(Codec::finish) finish = nullptr;
  decltype(Codec::parts) parts;
};

struct Module {
  ModuleRow openexr, jpeg2000, dpx, sgi;
};

}  // namespace qturn::oiio

namespace qturn::openexr {

/// Defined in openexr/codec.cpp; plugins.cpp has the others.
extern const oiio::ModuleRow row;

}  // namespace qturn::openexr

/// The one function that the module exports. Null: it is not of this version of qturn, so that
/// types need not agree.
extern "C" [[gnu::visibility("default")]] const qturn::oiio::Module* qturn_openimageio(
    const char* version);
