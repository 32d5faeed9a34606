// Whether a plugin wrote what it was given.
#pragma once

#include <OpenImageIO/imageio.h>

#include <atomic>
#include <span>

#include "src/picture/image.hpp"

namespace qturn::oiio {

enum class Attributes : bool { do_not_count, count };

/// Reads `file` again by the plugin, or a part of it. Throws ImageFileError, with the name of what
/// differs, unless its pixels are those of `page`, bit for bit, its channels and its place are
/// those of `spec`, it is upright, and, if they count, so are its attributes. Interrupted.
void prove_written(const char* plugin, std::span<const std::byte> file, const Page& page,
                   const OIIO::ImageSpec& spec, Attributes attributes,
                   const std::atomic<bool>& stop, int part = 0, int level = 0);

}  // namespace qturn::oiio
