// The parts that plans consist of: what reading a scan needs, and what writing one needs.
#pragma once

#include <qturn/jpeg_cuda.hpp>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernels/jpeg/src/reading.hpp"
#include "kernels/jpeg/src/stages.hpp"

namespace qturn::jpeg {

/// Long enough that few threads start again, short enough that shared memory holds the subsequences
/// of many. An odd number of words, so that threads that read the same word of their subsequences
/// hit different banks. The size of a workspace depends on it, and is asked for where there may be
/// no device: so it is the same for all architectures.
inline constexpr Cut usual_cut{2400, 1536};
/// For a few pictures, which leave most of a GPU idle and take as long as their slowest thread: as
/// short as a subsequence may be. An H200 decodes one of 500 x 375 in 0.36 ms instead of 0.53, 16
/// in 0.41 instead of 0.58 (2026-11-28).
inline constexpr Cut short_cut{1696, 1024, true};

static_assert(usual_cut.subsequence_bits >= most_block_bits);
static_assert(short_cut.subsequence_bits >= most_block_bits);

/// Ends of the parts of a workspace, which begins with what is copied to the device and then
/// cleared.
struct WorkspaceEnds {
  std::size_t uploaded = 0, cleared = 0, all = 0;  ///< in bytes
};

/// Hands out memory from an address on, which may be null while only sizes are wanted.
class Memory {
 public:
  explicit Memory(std::byte* base) : base_(base) {}

  template <class T>
  T* take(std::size_t count) {
    constexpr std::size_t alignment = 256;
    const std::size_t at = used_;
    used_ += (count * sizeof(T) + alignment - 1) / alignment * alignment;
    return reinterpret_cast<T*>(reinterpret_cast<std::uintptr_t>(base_) + at);
  }
  std::size_t used() const { return used_; }

 private:
  std::byte* base_;
  std::size_t used_ = 0;
};

/// Calls visit(i) for each picture. A std::invalid_argument is thrown on with the number of the
/// picture.
template <class Visit>
void for_each_picture(std::size_t count, Visit visit) {
  for (std::size_t i = 0; i < count; ++i) {
    try {
      visit(i);
    } catch (const std::invalid_argument& error) {
      throw std::invalid_argument("picture " + std::to_string(i) + ": " + error.what());
    }
  }
}

/// What make(i) returns for each picture; as above.
template <class Make>
auto made_for_each(std::size_t count, Make make) {
  std::vector<decltype(make(count))> made;
  made.reserve(count);
  for_each_picture(count, [&](std::size_t i) { made.push_back(make(i)); });
  return made;
}

/// Throws std::invalid_argument for tables that make no sense. `which` is "src" or "dst".
void check_tables(const JpegScanLayout& scan, const char* which);

/// The tables that the pictures of a batch are read with. Pictures with equal tables share them,
/// and the device makes them: a core took 15 us for the tables of a picture.
class TablesToRead {
 public:
  /// Adds the tables of the next picture, whose `turn.src` is known. `scan` must outlive this.
  /// Throws as check_tables().
  void add(const JpegScanLayout& scan, Picture& picture);

  /// Memory for what they are made of, which is uploaded; on the host it is filled.
  BatchTables take_coded(Memory& device, std::byte* host) const;
  /// Memory for the tables.
  void take_made(Memory& device, BatchTables& tables) const {
    tables.made = device.take<ReadTable>(coded_.size());
  }
  /// The tables of a picture, by the order of add().
  const ReadTable* tables_of(std::size_t picture, const BatchTables& tables) const {
    return tables.made + first_of_[picture];
  }

 private:
  struct Set {
    const JpegScanLayout* scan;
    std::size_t first, count;                       ///< of `coded_`
    std::uint8_t number_of[2 * most_components]{};  ///< from `first` on, by table of the scan
  };
  const Set& set_of(const JpegScanLayout& scan);

  std::vector<Set> sets_;
  std::vector<CodedTable> coded_;
  std::vector<std::size_t> first_of_;  ///< by picture
};

/// Says what a picture, whose `turn.src` is known, is read from, and finds faults that are seen
/// without reading.
void read_from(Picture& picture, const void* data, std::size_t bytes, Cut cut);

/// Says where a picture without known faults, whose `turn.dst` is known, is written to.
void write_to(Picture& picture, void* out, std::size_t capacity);

/// The tables of a scan, on the device and, if they are wanted, on the host.
void take_write_tables(const JpegScanLayout& scan, Picture& picture, Memory& device,
                       std::byte* host);

/// Memory of a picture: what has to be zero, and the rest. With known faults it needs nearly none.
void take_cleared_to_read(Picture& picture, Cut cut, Memory& memory);
void take_to_read(Picture& picture, Memory& memory);
void take_to_write(Picture& picture, Memory& memory);

/// A batch of `count` pictures at `pictures`, as large as each of `described` needs, without
/// tables.
Batch batch_of(const Picture* pictures, const std::vector<Picture>& described, Cut cut);

}  // namespace qturn::jpeg
