// Whether a plugin wrote what it was given.
#pragma once

#include <OpenImageIO/imageio.h>

#include <atomic>
#include <span>

#include "src/picture/image.hpp"

namespace qturn::oiio {

enum class Attributes : bool { do_not_count, count };

/// Reads `file`, or a part of it, again by the plugin. Throws ImageFileError, with the name of what
/// differs, unless it has the pixels of `page`, bit for bit, and the channels, the place and, if
/// they count, the attributes of `spec`, and is upright. Interrupted.
void prove_written(const char* plugin, std::span<const std::byte> file, const Page& page,
                   const OIIO::ImageSpec& spec, Attributes attributes,
                   const std::atomic<bool>& stop, int part = 0, int level = 0);

}  // namespace qturn::oiio
