// Where the pictures of `qturn check` go: nowhere. Each is compared with itself and with the XMP
// files beside it.
#ifndef QTURN_SRC_CHECK_CHECK_SINK_HPP
#define QTURN_SRC_CHECK_CHECK_SINK_HPP

#include <qturn/pictures.hpp>

#include <memory>
#include <string>
#include <vector>

#include "src/store/sink.hpp"

namespace qturn {

class CheckSink final : public Sink {
 public:
  explicit CheckSink(const Limits& limits) : limits_(limits) {}

  /// None: stage() reads them where they lie.
  Companions companions(const Result& result, std::vector<std::string>& warnings) const override;

  /// Warns of what in the file's orientation metadata does not agree or is damaged. Writes nothing.
  /// Throws ImageFileError if the header cannot be read.
  std::unique_ptr<StagedResult> stage(const Result& result,
                                      const Companions& companions) const override;

  bool is_done(const Result& /*result*/) const override { return false; }
  int results_on_their_way() const override { return 0; }

 private:
  Limits limits_;
  mutable SharedStems shared_stems_;
};

}  // namespace qturn

#endif  // QTURN_SRC_CHECK_CHECK_SINK_HPP
