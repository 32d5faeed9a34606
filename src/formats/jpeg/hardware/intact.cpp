// Two walkers share the work. The second begins in the middle, at a guess, where no block need
// begin. It may fail and try again, but Huffman codes synchronise by themselves: after some hundred
// blocks it is where a walker from the beginning would be. When the first walker arrives at a place
// in the data, and in a block of the MCU, where the second one was, the rest of the way is the same
// and has been checked. If that never happens, the first walker goes on to the end. So the answer
// is that of one walker. But a core, which would wait for each lookup, has two to work on: 1.9
// times as fast.
#include "src/formats/jpeg/hardware/intact.hpp"

#include <algorithm>
#include <deque>
#include <memory>

#include "src/formats/jpeg/reading/baseline_codes.hpp"
#include "src/formats/jpeg/reading/unstuffed_bits.hpp"

namespace qturn {
namespace {

// From this size on a second walker pays.
constexpr std::size_t worth_two_walkers = 1 << 15;
constexpr std::size_t landmarks_wanted = 256;
constexpr std::uint64_t anywhere = ~std::uint64_t{0};

/// What all walkers share.
struct Map {
  std::vector<JpegBlockCodes> mcu;
  std::vector<JpegLeap> leaps;
};

/// Among the AC coefficients of a block.
class Walker {
 public:
  Walker(const Map& map, std::span<const std::byte> data, std::uint64_t blocks)
      : map_(map), bits_(data), blocks_left_(blocks) {}

  /// Passes the DC coefficient of the block. This and step() return false if the data is damaged.
  bool begin_block() {
    coefficients_left_ = jpeg_coefficients - 1;
    return take(map_.mcu[block_].dc->find(next16()));
  }

  /// Passes one code and, if it ends the block, the DC coefficient of the next block.
  bool step() {
    bits_.move_on();
    const JpegStep step = map_.mcu[block_].ac->find(next16());
    if (!take(step) || step.advance > coefficients_left_) return false;
    coefficients_left_ -= step.advance;
    if (!step.ends && coefficients_left_ > 0) return true;
    block_ = (block_ + 1) % map_.mcu.size();
    return --blocks_left_ == 0 || begin_block();
  }

  /// Starts again one bit after the place where it failed.
  void guess_again() {
    bits_.go_to(bits_.at() + 1);
    bits_.move_on();
    block_ = 0;
  }

  /// Keeps leaps from going as far as this place in the data.
  void leap_no_farther_than(std::uint64_t position) { farthest_ = position; }

  /// Goes on until one of these walkers has no leap, or is at the end of its window.
  template <typename... Walkers>
  friend void leap(Walkers&... walkers);

  bool has_just_begun_a_block() const { return coefficients_left_ == jpeg_coefficients - 1; }
  std::size_t block() const { return block_; }
  std::uint64_t position() const { return bits_.position(); }
  bool is_near_end() const { return bits_.end_is_near() && bits_.left() < near; }
  bool is_at_end() const { return bits_.end_is_near() && bits_.left() >= 0 && bits_.left() < 8; }

  std::uint64_t blocks_left() const { return blocks_left_; }
  void set_blocks_left(std::uint64_t blocks) { blocks_left_ = blocks; }

 private:
  class Leaper;
  static constexpr std::int64_t near = 512;

  unsigned next16() const { return static_cast<unsigned>(bits_.word(bits_.at()) >> 48); }
  bool take(const JpegStep& step) {
    bits_.go_to(bits_.at() + step.bits);
    return step.code != 0 && bits_.left() >= 0;
  }

  const Map& map_;
  UnstuffedBits bits_;
  std::size_t block_ = 0;
  std::uint64_t blocks_left_;  ///< this one included
  unsigned coefficients_left_ = 0;
  std::uint64_t farthest_ = anywhere;
};

/// A walker while it leaps: its state is in registers.
class Walker::Leaper {
 public:
  explicit Leaper(Walker& walker)
      : walker_(walker),
        leaps_(walker.map_.leaps.data()),
        at_(walker.bits_.at()),
        offset_(walker.block_ << jpeg_lookup_bits),
        left_(walker.coefficients_left_ - 1),
        blocks_(static_cast<std::int64_t>(walker.blocks_left_) - 1) {}
  ~Leaper() {
    walker_.bits_.go_to(at_);
    walker_.block_ = offset_ >> jpeg_lookup_bits;
    walker_.coefficients_left_ = left_ + 1;
    walker_.blocks_left_ = static_cast<std::uint64_t>(blocks_ + 1);
  }
  Leaper(const Leaper&) = delete;
  Leaper& operator=(const Leaper&) = delete;

  /// How often three leaps are sure to stay in the window and in the picture.
  std::int64_t safe_triples() const {
    const std::uint64_t limit = walker_.bits_.limit(walker_.farthest_);
    return std::min((static_cast<std::int64_t>(limit) - static_cast<std::int64_t>(at_)) / 57 - 1,
                    blocks_ / 3);
  }

  void load() { word_ = walker_.bits_.word(at_); }
  bool try_leap() {
    const JpegLeap leap = leaps_[(word_ >> (64 - jpeg_lookup_bits)) + offset_];
    if (left_ < leap.advance()) return false;
    left_ -= leap.advance();
    word_ <<= leap.bits();
    offset_ = leap.offset();
    sum_ += leap.summand();
    const unsigned left_in_next = leap.left();
    left_ = left_in_next != 0 ? left_in_next : left_;
    return true;
  }
  void add_up() {
    at_ += JpegLeap::bits_of(sum_);
    blocks_ -= JpegLeap::blocks_of(sum_);
    sum_ = 0;
  }

 private:
  Walker& walker_;
  const JpegLeap* leaps_;
  std::uint64_t word_ = 0, sum_ = 0;
  std::size_t at_, offset_;
  unsigned left_;        ///< coefficients that a leap may advance: the last one ends the block
  std::int64_t blocks_;  ///< that may end
};

// What all of them need is looked at before three leaps, not before each.
template <typename... Walkers>
void leap(Walkers&... walkers) {
  [](auto&&... each) {
    bool all = true;
    while (all) {
      std::int64_t triples = std::min({each.safe_triples()...});
      if (triples <= 0) return;
      for (; all && triples > 0; --triples) {
        (each.load(), ...);
        all = (each.try_leap() && ...) && (each.try_leap() && ...) && (each.try_leap() && ...);
        (each.add_up(), ...);
      }
    }
  }(Walker::Leaper(walkers)...);
}

bool walk_to_end(Walker& walker) {
  while (walker.blocks_left() > 0) {
    leap(walker);
    if (!walker.step()) return false;
  }
  return walker.is_at_end();
}

/// A walker that starts somewhere in the data. Only what its landmarks confirm is used.
class Scout {
 public:
  /// In the part of the data that `bits_before` of its bits precede.
  Scout(const Map& map, std::span<const std::byte> part, std::uint64_t bits_before,
        std::uint64_t blocks)
      : walker_(map, part, blocks), bits_before_(bits_before) {
    is_lost_ = !walker_.begin_block();
    while (landmarks_.size() < landmarks_wanted && !walker_.is_near_end()) {
      if (is_lost_) {
        landmarks_.clear();
        walker_.set_blocks_left(blocks);
        walker_.guess_again();
        is_lost_ = !walker_.begin_block();
        continue;
      }
      if (walker_.has_just_begun_a_block()) {
        landmarks_.push_back(
            {bits_before_ + walker_.position(), walker_.block(), walker_.blocks_left()});
      }
      step();
    }
  }

  Walker& walker() { return walker_; }
  bool can_go_on() const { return !is_lost_ && !walker_.is_near_end(); }
  void step() { is_lost_ = !walker_.step() || walker_.blocks_left() == 0; }

  bool has_landmarks() const { return !landmarks_.empty(); }
  std::uint64_t first_landmark() const { return landmarks_.front().position; }
  std::uint64_t last_landmark() const { return landmarks_.back().position; }
  bool has_seen(const Walker& other) const { return find(other) != landmarks_.end(); }

  /// Whether the rest of the way of `other`, which it has seen, leads to the end.
  bool completes(const Walker& other) {
    const std::uint64_t walked = find(other)->blocks_left - walker_.blocks_left();
    if (is_lost_ || walked >= other.blocks_left()) return false;
    walker_.set_blocks_left(other.blocks_left() - walked);
    return walk_to_end(walker_);
  }

 private:
  /// Just after the DC coefficient of a block.
  struct Landmark {
    std::uint64_t position;
    std::size_t block;
    std::uint64_t blocks_left;
  };

  std::vector<Landmark>::const_iterator find(const Walker& other) const {
    const auto found =
        std::ranges::lower_bound(landmarks_, other.position(), {}, &Landmark::position);
    const bool same = other.has_just_begun_a_block() && found != landmarks_.end() &&
                      found->position == other.position() && found->block == other.block();
    return same ? found : landmarks_.end();
  }

  Walker walker_;
  std::uint64_t bits_before_;
  std::vector<Landmark> landmarks_;
  bool is_lost_ = false;
};

/// `walker` is at the beginning of `data`.
bool walk(Walker& walker, const Map& map, std::span<const std::byte> data) {
  if (data.size() < worth_two_walkers) return walk_to_end(walker);
  std::size_t middle = data.size() / 2;
  if (data[middle - 1] == std::byte{0xFF}) ++middle;
  const auto scout = std::make_unique<Scout>(
      map, data.subspan(middle), 8 * unstuffed_size(data.first(middle)), walker.blocks_left());
  if (!scout->has_landmarks()) return walk_to_end(walker);

  walker.leap_no_farther_than(scout->first_landmark());
  while (walker.position() < scout->first_landmark() && walker.blocks_left() > 0) {
    if (scout->can_go_on()) {
      leap(walker, scout->walker());
      scout->step();
    } else {
      leap(walker);
    }
    if (!walker.step()) return false;
  }
  while (walker.position() <= scout->last_landmark() && walker.blocks_left() > 0) {
    if (scout->has_seen(walker)) return scout->completes(walker);
    if (!walker.step()) return false;
  }
  walker.leap_no_farther_than(anywhere);
  return walk_to_end(walker);
}

}  // namespace

bool is_intact(std::span<const std::byte> data, const std::vector<BaselineComponent>& components,
               std::uint64_t mcus, std::size_t& after) {
  std::deque<JpegCodes> codes;  // which stay where they are
  Map map;
  for (const BaselineComponent& component : components) {
    const JpegCodes& dc = codes.emplace_back(*component.dc, true);
    const JpegCodes& ac = codes.emplace_back(*component.ac, false);
    map.mcu.insert(map.mcu.end(), static_cast<std::size_t>(component.blocks), {&dc, &ac});
  }
  map.leaps = jpeg_leaps(map.mcu);

  const std::size_t marker = bytes_before_marker(data);
  const auto eoi = data.subspan(marker);
  if (eoi.size() < 2 || eoi[1] != std::byte{0xD9}) return false;
  after = marker + 2;
  const auto walker = std::make_unique<Walker>(map, data.first(marker), mcus * map.mcu.size());
  return walker->begin_block() && walk(*walker, map, data.first(marker));
}

}  // namespace qturn
