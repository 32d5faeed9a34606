// XMP files beside pictures: a.xmp and a.jpg.xmp for a.jpg, or with .XMP in capitals. Some programs
// look for an orientation there first.
#ifndef QTURN_SRC_PLAN_SIDECARS_HPP
#define QTURN_SRC_PLAN_SIDECARS_HPP

#include <filesystem>
#include <string>
#include <vector>

#include "src/plan/jobs.hpp"

namespace qturn {

struct Sidecar {
  std::filesystem::path path;
  bool after_whole_name = false;  ///< a.jpg.xmp
  std::string packet;
};

/// The sidecars of the picture that hold an orientation. An a.xmp that may as well belong to
/// another file (a raw picture, a.png) is none, and `warnings` says so.
std::vector<Sidecar> find_sidecars(const std::filesystem::path& picture,
                                   std::vector<std::string>& warnings);

/// The sidecar of another picture that is to be made of this one.
std::filesystem::path sidecar_of(const std::filesystem::path& picture, const Sidecar& like);

/// The rules of outputs.hpp for what the plan's sidecars would become. With `options.existing` to
/// skip or to update, a sidecar goes the way of its picture, and is no reason to refuse.
///
/// Throws PlanError: a sidecar with hard links in place, unless `options.break_links`; one that
/// exists at the output and is refused, is no regular file, is an input's own, or is there twice.
void refuse_sidecars(const PlanOptions& options, const Plan& plan);

}  // namespace qturn

#endif  // QTURN_SRC_PLAN_SIDECARS_HPP
