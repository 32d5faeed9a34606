#include "src/gpu/owners.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <exception>
#include <iterator>
#include <string>

#include <qturn/cuda.hpp>

#include "src/tasks/suspend.hpp"

namespace qturn {

void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  cudaGetLastError();
  const std::string sentence =
      fmt::format("{}: {} ({})", what, cudaGetErrorString(error), cudaGetErrorName(error));
  if (error == cudaErrorMemoryAllocation) throw OutOfDeviceMemory(error, sentence);
  throw CudaError(error, sentence);
}

CudaStream::CudaStream() {
  check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "a stream");
}

void use_device(int device) {
  check(cudaSetDevice(device), "the device");
  // If it is refused, only time is lost.
  if (cudaSetDeviceFlags(cudaDeviceScheduleYield) != cudaSuccess) cudaGetLastError();
}

std::byte* allocate_page_locked(std::size_t bytes) {
  void* memory = nullptr;
  check(cudaHostAlloc(&memory, bytes, cudaHostAllocPortable), "page-locked memory");
  return static_cast<std::byte*>(memory);
}

std::unique_ptr<std::byte, FreePageLockedBlock> allocate_page_locked_block(std::size_t bytes) {
  constexpr std::size_t huge_page = std::size_t{2} << 20;
  void* const memory =
      std::aligned_alloc(huge_page, (bytes + huge_page - 1) / huge_page * huge_page);
  if (!memory) check(cudaErrorMemoryAllocation, "page-locked memory");
  madvise(memory, bytes, MADV_HUGEPAGE);  // if it is refused, only time is lost
  try {
    check(cudaHostRegister(memory, bytes, cudaHostRegisterPortable), "page-locked memory");
  } catch (...) {
    std::free(memory);
    throw;
  }
  return std::unique_ptr<std::byte, FreePageLockedBlock>(static_cast<std::byte*>(memory));
}

void FreePageLockedBlock::operator()(std::byte* memory) const {
  cudaHostUnregister(memory);
  std::free(memory);
}

CudaEvent::CudaEvent() {
  check(cudaEventCreateWithFlags(&event_, cudaEventBlockingSync | cudaEventDisableTiming),
        "an event");
}

void CudaEvent::wait_for(cudaStream_t stream, const char* what) {
  check(cudaEventRecord(event_, stream), what);
  check(cudaEventSynchronize(event_), what);
}

std::byte* PageLockedBuffer::reserve(std::size_t bytes) {
  if (bytes > bytes_) {
    data_.reset();
    bytes_ = 0;
    data_.reset(allocate_page_locked(bytes));
    bytes_ = bytes;
  }
  return data_.get();
}

std::byte* DeviceBuffer::reserve(std::size_t bytes) {
  if (bytes > bytes_) {
    check(cudaFree(data_), "device memory");
    data_ = nullptr;
    bytes_ = 0;
    check(cudaMalloc(&data_, bytes), "device memory");
    bytes_ = bytes;
  }
  return data();
}

namespace {

constexpr std::size_t least_step = 4096;
// A single picture need not wait for much memory, and many pictures soon have enough.
constexpr std::uint64_t first_block = std::uint64_t{8} << 20,
                        largest_block = std::uint64_t{256} << 20;

// Files of one kind have nearly the same size: a piece for one of them fits another.
std::size_t size_of_piece(std::size_t bytes) {
  const std::size_t step = std::max(std::bit_floor(bytes) / 8, least_step);
  return (bytes + step - 1) / step * step;
}

}  // namespace

FileBytes PageLockedPool::take(std::size_t bytes) {
  bytes = size_of_piece(std::max<std::size_t>(bytes, 1));
  std::unique_lock lock(mutex_);
  while (true) {
    if (const auto piece = returned_.lower_bound(bytes);
        piece != returned_.end() && piece->first <= bytes + bytes / 4) {
      const auto [piece_bytes, data] = *piece;
      returned_.erase(piece);
      return lent(data, piece_bytes);
    }
    if (std::byte* const data = find(bytes)) return lent(data, bytes);
    if (!returned_.empty()) {
      for (const auto& [piece_bytes, data] : returned_) merge(piece_bytes, data);
      returned_.clear();
    } else if (grows_) {
      changed_.wait_until(lock, for_ever);
    } else if (!grow(lock, bytes)) {
      if (in_use_ > 0 || held_ == 0 || bytes > most_bytes_) return {};
      blocks_.clear();  // each of them is too small
      held_ = 0;
    }
  }
}

bool PageLockedPool::has(const std::byte* data) const {
  const std::lock_guard lock(mutex_);
  return std::ranges::any_of(blocks_, [&](const Block& block) { return block.has(data); });
}

FileBytes PageLockedPool::lent(std::byte* data, std::size_t bytes) {
  ++in_use_;
  return {FileBytes::Memory(data, [this, bytes](std::byte* back) { give_back(bytes, back); }),
          bytes};
}

// Null if no block has so much in one place.
std::byte* PageLockedPool::find(std::size_t bytes) {
  for (Block& block : blocks_) {
    const auto found =
        std::ranges::find_if(block.free, [&](const auto& range) { return range.second >= bytes; });
    if (found == block.free.end()) continue;
    const auto [data, free_bytes] = *found;
    block.free.erase(found);
    if (free_bytes > bytes) block.free.emplace(data + bytes, free_bytes - bytes);
    return data;
  }
  return nullptr;
}

// Asks the system for a block, without the lock. False if it did not even ask; otherwise others may
// have given pieces back meanwhile.
bool PageLockedPool::grow(std::unique_lock<std::mutex>& lock, std::size_t bytes) {
  if (bytes > most_bytes_ - held_) return false;
  const std::uint64_t wanted = std::clamp(held_, first_block, largest_block);
  const auto block_bytes = static_cast<std::size_t>(
      std::min(std::max<std::uint64_t>(bytes, wanted), most_bytes_ - held_));
  grows_ = true;
  lock.unlock();
  Block block{.memory = {}, .bytes = block_bytes, .free = {}};
  std::exception_ptr problem;
  try {
    block.memory = allocate_(block_bytes);
    block.free.emplace(block.memory.get(), block_bytes);
  } catch (const OutOfDeviceMemory&) {
    // The system has no more for us.
  } catch (...) {
    problem = std::current_exception();
  }
  lock.lock();
  grows_ = false;
  changed_.notify_all();
  if (problem) std::rethrow_exception(problem);
  if (block.memory) {
    held_ += block_bytes;
    blocks_.push_back(std::move(block));
  } else {
    most_bytes_ = held_;
  }
  return true;
}

void PageLockedPool::give_back(std::size_t bytes, std::byte* data) {
  {
    const std::lock_guard lock(mutex_);
    --in_use_;
    returned_.emplace_hint(returned_.lower_bound(bytes), bytes, data);
  }
  changed_.notify_all();
}

// Puts a piece back into its block, and merges it with free neighbours.
void PageLockedPool::merge(std::size_t bytes, std::byte* data) {
  const auto block =
      std::ranges::find_if(blocks_, [&](const Block& each) { return each.has(data); });
  const auto [range, is_new] = block->free.emplace(data, bytes);
  if (const auto next = std::next(range);
      next != block->free.end() && next->first == data + bytes) {
    range->second += next->second;
    block->free.erase(next);
  }
  if (range != block->free.begin()) {
    const auto before = std::prev(range);
    if (before->first + before->second == data) {
      before->second += range->second;
      block->free.erase(range);
    }
  }
}

}  // namespace qturn
