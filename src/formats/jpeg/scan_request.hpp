// What a GPU is asked to turn: the entropy-coded data of JPEGs that have one scan.
//
// The header alone decides whether it is asked: the data need not be looked at before. The result's
// header is written by the code that the CPU's way uses; by planes, when the device has made the
// Huffman tables. So the file is the same, byte for byte. The device finds damage where it reads,
// and then makes nothing; the CPU's way says what is wrong.
#pragma once

#include <qturn/orientation.hpp>

#include <optional>
#include <span>

#include "src/formats/codec/jpeg_device.hpp"
#include "src/formats/jpeg/libjpeg/session.hpp"

namespace qturn::jpeg {

/// Whether the first scan is sequential and holds all of the picture, by the header.
bool is_only_scan(const JpegDecoder& decoder);

/// The data of the only scan with the marker of its end, and with what follows that if the end is
/// not known yet; empty if the file is of another kind.
std::span<const std::byte> only_scan_data(const JpegDecoder& decoder);

/// What a device is asked to turn losslessly, and what by planes, of the file whose header
/// `decoder` has read. The file must outlive the request. Nothing if a device cannot take it:
/// progressive pictures, several scans, a header that is not sound.
std::optional<JpegRequest> scan_request(const JpegDecoder& decoder,
                                        std::span<const Orientation> lossless,
                                        std::span<const Orientation> planar);

/// Turns the data of `result` back, and codes them as `source` does, with its tables and restart
/// intervals: if the bytes are the same, so are all coefficients. Nothing if a device cannot take
/// them, or if something was trimmed off. Throws ImageFileError if the headers differ.
std::optional<JpegRequest> request_back(const JpegDecoder& source, const JpegDecoder& result,
                                        Orientation applied);

}  // namespace qturn::jpeg
