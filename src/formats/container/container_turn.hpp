// A turn that changes what all readers of a format obey, and no pixel.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "src/formats/codec/compressed_turn.hpp"

namespace qturn {

/// `File` is a file that was read as far as it can be without a decoder.
template <typename File>
class ContainerTurn final : public CompressedTurn {
 public:
  using Turn = Bytes (*)(const File&, Orientation, std::vector<std::string>& warnings);
  using WhyNot = std::string (*)(const File&, Orientation);

  /// `needed` is the memory that `turned` takes; `why_not` says why it must not be called, or
  /// nothing.
  ContainerTurn(File file, Header header, std::uint64_t needed, Turn turned,
                WhyNot why_not = nullptr)
      : file_(std::move(file)),
        header_(std::move(header)),
        needed_(needed),
        turn_(turned),
        why_not_(why_not) {}

  Header header() const override { return header_; }
  Route route(Orientation applied) const override {
    return why_not(applied).empty() ? Route::lossless : Route::none;
  }
  std::string why_not(Orientation applied) const override {
    return why_not_ ? why_not_(file_, applied) : std::string();
  }
  Size turned_size(Orientation applied) const override {
    return qturn::turned_size(applied, header_.size());
  }
  std::uint64_t bytes_needed(std::span<const Orientation>) const override { return needed_; }

  void read(std::span<const Orientation>, PixelArena&, const std::atomic<bool>&,
            std::vector<std::string>&) override {}

  FileBytes turn(Orientation applied, const TurnEmbedded&, const std::atomic<bool>&,
                 std::vector<std::string>& warnings) override {
    return turn_(file_, applied, warnings);
  }

 private:
  File file_;
  Header header_;
  std::uint64_t needed_;
  Turn turn_;
  WhyNot why_not_;
};

}  // namespace qturn
