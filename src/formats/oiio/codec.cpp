// The rows of what OpenImageIO reads and writes. Their functions are in a module.
#include <dlfcn.h>
#include <fmt/format.h>

#include <string>
#include <utility>

#include "src/formats/oiio/module.hpp"
#include "src/formats/table.hpp"
#include "src/picture/bytes.hpp"

namespace qturn::oiio {
namespace {

using File = std::span<const std::byte>;
using Warnings = std::vector<std::string>;

constexpr auto module_name = "libqturn_openimageio.so";

[[noreturn]] void refuse(std::string_view why) {
  throw ImageFileError(fmt::format(
      "this format needs {}, which cannot be loaded ({}); install qturn again, with all "
      "its libraries, or name their folder in LD_LIBRARY_PATH",
      module_name, why));
}

// The loader looks in the run path of the program or library that this is linked into.
const Module& load() {
  void* library = ::dlopen(module_name, RTLD_NOW | RTLD_LOCAL);
  if (!library) refuse(::dlerror());
  const auto rows =
      reinterpret_cast<decltype(&qturn_openimageio)>(::dlsym(library, "qturn_openimageio"));
  const Module* module = rows ? rows(QTURN_VERSION) : nullptr;
  if (!module) refuse("it is not of version " QTURN_VERSION);
  return *module;
}

// Loads it once. It stays loaded: what it gave away has destructors in it.
const Module& module() {
  static const Module& loaded = load();
  return loaded;
}

template <ModuleRow Module::*row, auto function>
struct InModule;
template <ModuleRow Module::*row, typename Result, typename... Arguments,
          Result (*ModuleRow::*function)(Arguments...)>
struct InModule<row, function> {
  static Result call(Arguments... arguments) {
    return (module().*row.*function)(std::forward<Arguments>(arguments)...);
  }
};
template <ModuleRow Module::*row, auto function>
constexpr auto in_module = InModule<row, function>::call;

template <const Codec& format, ModuleRow Module::*row>
Image decode(File file, Samples samples, PixelArena& arena, const std::atomic<bool>& stop,
             Warnings& warnings) {
  Image image = (module().*row).decode(file, samples, arena, stop, warnings);
  image.format = &format;
  return image;
}

}  // namespace
}  // namespace qturn::oiio

namespace qturn::openexr {

using namespace oiio;

const Codec codec = {
    .name = "openexr",
    .alias = "exr",
    .suffixes = {".exr"},
    .recognises = [](std::span<const std::byte> head,
                     std::string_view) { return text_of(head).starts_with("v/1\x01"); },
    .check_limits = in_module<&Module::openexr, &ModuleRow::check_limits>,
    .read_header = in_module<&Module::openexr, &ModuleRow::read_header>,
    .decode = decode<codec, &Module::openexr>,
    .encode = in_module<&Module::openexr, &ModuleRow::encode>,
    .parts = in_module<&Module::openexr, &ModuleRow::parts>,
    .library_version = [] { return std::string("OpenImageIO " QTURN_OPENIMAGEIO_VERSION); },
};

}  // namespace qturn::openexr

namespace qturn::oiio {

const Codec jpeg2000 = {
    .name = "jpeg2000",
    .alias = "jp2",
    .suffixes = {".jp2", ".j2k", ".j2c", ".jpc", ".jpx", ".jpf"},
    .recognises = [](File head, std::string_view) { return is_jp2(head) || is_codestream(head); },
    .read_header = in_module<&Module::jpeg2000, &ModuleRow::read_header>,
    .decode = decode<jpeg2000, &Module::jpeg2000>,
    .encode = in_module<&Module::jpeg2000, &ModuleRow::encode>,
    .finish = in_module<&Module::jpeg2000, &ModuleRow::finish>,
    .parts = in_module<&Module::jpeg2000, &ModuleRow::parts>,
};

const Codec dpx = {
    .name = "dpx",
    .suffixes = {".dpx"},
    .recognises =
        [](File head, std::string_view) {
          return text_of(head).starts_with("SDPX") || text_of(head).starts_with("XPDS");
        },
    .read_header = in_module<&Module::dpx, &ModuleRow::read_header>,
    .decode = decode<dpx, &Module::dpx>,
    .encode = in_module<&Module::dpx, &ModuleRow::encode>,
    .parts = in_module<&Module::dpx, &ModuleRow::parts>,
};

// Its signature has two letters, with which many other files could begin.
const Codec sgi = {
    .name = "sgi",
    .suffixes = {".sgi"},
    .recognises =
        [](File head, std::string_view) {
          return head.size() >= 12 && big_endian(head, 0, 2) == 0x01DA &&
                 big_endian(head, 2, 1) <= 1 &&
                 (big_endian(head, 3, 1) == 1 || big_endian(head, 3, 1) == 2) &&
                 big_endian(head, 4, 2) >= 1 && big_endian(head, 4, 2) <= 3;
        },
    .read_header = in_module<&Module::sgi, &ModuleRow::read_header>,
    .decode = decode<sgi, &Module::sgi>,
    .encode = in_module<&Module::sgi, &ModuleRow::encode>,
    .parts = in_module<&Module::sgi, &ModuleRow::parts>,
};

}  // namespace qturn::oiio
