#include "kernels/jpeg/src/header.hpp"

#include <stdexcept>

#include "kernels/jpeg/src/plan_parts.hpp"

namespace qturn {

JpegHeader read_jpeg_header(const void* file, std::size_t bytes) {
  JpegHeader header = jpeg::header_of_scan({static_cast<const std::byte*>(file), bytes});
  try {
    jpeg::check_tables(header.scan, "it");
  } catch (const std::invalid_argument& error) {
    throw JpegRefused(JpegRefusal::tables, error.what());
  }
  return header;
}

}  // namespace qturn
