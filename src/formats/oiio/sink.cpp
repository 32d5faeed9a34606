#include "src/formats/oiio/sink.hpp"

#include "src/formats/oiio/reader.hpp"
#include "src/formats/oiio/spec.hpp"

namespace qturn::oiio {

Bytes write(const char* plugin, const char* file_name, const Page& page,
            const OIIO::ImageSpec& spec, const std::atomic<bool>& stop) {
  prepare_oiio();
  if (stop) throw Interrupted();
  Bytes encoded;
  // Memory that is not written takes none. To make room later would take twice as much.
  encoded.reserve(page.bytes() + page.bytes() / 16 + 4096);
  OiioSink sink(encoded);
  const auto output = OIIO::ImageOutput::create(plugin);
  if (!output) fail_without_plugin();
  output->threads(1);
  output->set_ioproxy(&sink);
  constexpr const char* why_not = "OpenImageIO cannot write such a picture; choose another format";
  if (!output->open(file_name, spec)) fail_with(why_not, *output);
  const bool complete = output->write_image(type_of_samples(spec, Samples::as_stored), page.pixels,
                                            OIIO::AutoStride, OIIO::AutoStride, OIIO::AutoStride,
                                            stop_requested, const_cast<std::atomic<bool>*>(&stop));
  if (stop) throw Interrupted();
  if (!complete || !output->close() || output->has_error()) fail_with(why_not, *output);
  return encoded;
}

}  // namespace qturn::oiio
