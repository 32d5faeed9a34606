#include "src/formats/oiio/reader.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <mutex>
#include <optional>

namespace qturn::oiio {

void prepare_oiio() {
  static std::once_flag once;
  std::call_once(once, [] {
    // The pipeline spreads files over the threads. A codec with its own threads would get in the
    // way.
    OIIO::attribute("threads", 1);
    OIIO::attribute("exr_threads", -1);
    OIIO::attribute("debug", 0);                // it would write to stderr
    OIIO::attribute("openexr:core", 1);         // the other reader lets OpenEXR write to stderr
    OIIO::attribute("limits:imagesize_MB", 0);  // the budget for pixels is ours to keep
  });
}

void fail_without_plugin() {
  (void)OIIO::geterror();
  throw PluginError("OpenImageIO was built without this format");
}

bool stop_requested(void* flag, float) {
  return static_cast<std::atomic<bool>*>(flag)->load(std::memory_order_relaxed);
}

namespace {

// A copy of a file in memory that has a path, for a plugin that opens nothing else.
class FileWithPath {
 public:
  explicit FileWithPath(std::span<const std::byte> file) : fd_(memfd_create("", MFD_CLOEXEC)) {
    while (fd_ >= 0 && !file.empty()) {
      const ssize_t written = ::write(fd_, file.data(), file.size());
      if (written <= 0) {
        ::close(fd_);
        throw PluginError("no memory for a copy of the file");
      }
      file = file.subspan(static_cast<std::size_t>(written));
    }
  }
  FileWithPath(const FileWithPath&) = delete;
  FileWithPath& operator=(const FileWithPath&) = delete;
  ~FileWithPath() { ::close(fd_); }

  std::string path() const { return fmt::format("/proc/self/fd/{}", fd_); }

 private:
  int fd_;
};

}  // namespace

OiioReader::OiioReader(const char* plugin, std::span<const std::byte> file)
    : memory_(file.data(), file.size()), input_(OIIO::ImageInput::create(plugin)) {
  prepare_oiio();
  if (!input_) fail_without_plugin();
  input_->threads(1);
  std::optional<FileWithPath> with_path;
  if (input_->supports("ioproxy")) {
    input_->set_ioproxy(&memory_);
  } else {
    with_path.emplace(file);
  }
  OIIO::ImageSpec spec, options;
  options.attribute("oiio:UnassociatedAlpha", 1);
  const std::string path = with_path ? with_path->path() : "picture";
  if (!input_->open(path, spec, options))
    fail_with("damaged, or of a kind that is not supported", *input_);
}

OIIO::ImageSpec OiioReader::spec(int part, int level) {
  if (!has(part, level)) throw PluginError("damaged: a picture of the file is missing");
  return input_->spec();
}

bool OiioReader::has(int part, int level) {
  const bool found = input_->seek_subimage(part, level);
  if (!found) input_->geterror();
  return found;
}

void OiioReader::read(int channels, OIIO::TypeDesc type, void* pixels,
                      const std::atomic<bool>& stop, int part, int level) {
  const bool complete =
      input_->read_image(part, level, 0, channels, type, pixels, OIIO::AutoStride, OIIO::AutoStride,
                         OIIO::AutoStride, stop_requested, const_cast<std::atomic<bool>*>(&stop));
  if (stop) throw Interrupted();
  if (!complete || input_->has_error()) fail_with("damaged: the pixels cannot be decoded", *input_);
}

}  // namespace qturn::oiio
