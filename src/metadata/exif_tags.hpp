// The tags of Exif and TIFF that are read or turned here, as Exif 2.32 and TIFF 6.0 number them.
#pragma once

#include <cstdint>

namespace qturn::exif_tag {

inline constexpr std::uint16_t image_width = 256, image_height = 257, orientation_tag = 274,
                               x_resolution = 282, y_resolution = 283, resolution_unit = 296,
                               jpeg_offset = 513, jpeg_bytes = 514, exif_directory = 0x8769,
                               subject_area = 0x9214, pixel_x_dimension = 0xA002,
                               pixel_y_dimension = 0xA003, subject_location = 0xA214,
                               maker_note = 0x927C;

}  // namespace qturn::exif_tag
