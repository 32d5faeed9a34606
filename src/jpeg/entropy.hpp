// Huffman coding of turned blocks, in one pass over them.
//
// Sequential scans interleave components and are written one after the other. The scans of a
// progressive picture go over the same blocks many times, each for a few bits of them. But a scan
// of AC coefficients holds one component only, so all of a component's scans are written at once,
// each into bytes of its own: a block is looked at once, and what each scan needs of it are a few
// masks of 64 bits.
#ifndef QTURN_SRC_JPEG_ENTROPY_HPP
#define QTURN_SRC_JPEG_ENTROPY_HPP

#include <atomic>
#include <memory>
#include <vector>

#include "src/jpeg/picture.hpp"
#include "src/jpeg/turned_blocks.hpp"

namespace qturn {

/// The entropy-coded data of a scan, as it grows, without what keeps it apart from markers.
class JpegData {
 public:
  std::size_t size() const { return size_; }

  /// Writes the data behind `file`: a zero byte behind each of 0xFF, and the restart markers.
  void append_to(Bytes& file) const;

  /// Room for `more` bytes behind the ones there are; throws std::bad_alloc.
  unsigned char* room(std::size_t more) {
    if (capacity_ - size_ < more) grow(more);
    return bytes_.get() + size_;
  }
  void set_end(const unsigned char* end) { size_ = static_cast<std::size_t>(end - bytes_.get()); }

  /// A restart marker belongs behind the bytes that there are.
  void restart_here() { restarts_.push_back(size_); }

 private:
  void grow(std::size_t more);

  std::unique_ptr<unsigned char[]> bytes_;
  std::size_t size_ = 0, capacity_ = 0;
  std::vector<std::size_t> restarts_;
};

/// The data of every scan of `picture`, whose scans have complete tables, with `blocks` for its
/// components, read in `order`.
///
/// Throws ImageFileError for coefficients that 8-bit JPEG does not have; Interrupted when `stop` is
/// raised.
std::vector<JpegData> code_scans(const JpegPicture& picture,
                                 const std::vector<TurnedBlocks>& blocks, const TurnedOrder& order,
                                 const std::atomic<bool>& stop);

}  // namespace qturn

#endif  // QTURN_SRC_JPEG_ENTROPY_HPP
