// Compares labels and masks with their pictures, and with themselves: what `qturn check --labels`
// does. Memory grows with the pictures, not with what their labels hold.
#pragma once

#include <qturn/pictures.hpp>

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "src/companions/companion_files.hpp"
#include "src/companions/shared_labels.hpp"
#include "src/files/journal.hpp"
#include "src/files/tar/input.hpp"
#include "src/inputs/file_list.hpp"
#include "src/inputs/listings.hpp"
#include "src/labels/label_frame.hpp"
#include "src/labels/label_shapes.hpp"
#include "src/picture/image.hpp"
#include "src/sample/label_turn.hpp"

namespace qturn {

/// Where labels of pictures are.
struct LabelSources {
  const FileList& files;
  const CompanionFiles& labels;
  const CompanionFiles& masks;
  SharedLabelFiles shared = {};  ///< of many pictures each
  /// They were named, so one without a picture is wrong; one that was found may be for others.
  bool shared_are_named = false;
  std::vector<std::filesystem::path> journals = {};  ///< of runs that were interrupted
  Listings* listings = nullptr;                      ///< of the folders; check_rest() needs them
  std::shared_ptr<const TarFiles> tar = {};          ///< if the files lie in one; else null
};

struct LabelFinding {
  std::filesystem::path file;               ///< the label's; of a missing label, the picture's
  std::optional<std::size_t> picture = {};  ///< the number of its file
  LabelProblem problem = {};
};

/// Puts the names of classes in the place of their numbers, and tells of those without a name.
void name_classes(LabelContent& content, const ClassNames& classes,
                  const std::function<void(const LabelProblem&)>& tell);

/// Reads a label file of many pictures twice: its images, whose pictures it finds, and then, if
/// `begin` says so, which is told what is wrong with images, what each has; or what is of an image
/// that is not listed. Throws LabelError; FileError.
void read_shared_shapes(
    SharedLabels::File& file, const SharedLabelPictures& pictures,
    const std::function<bool(const std::vector<LabelProblem>&)>& begin,
    const std::function<void(std::optional<std::size_t> image, const LabelContent&)>& take);

/// Labels and masks whose pictures are not there, ascending. Looks in the folders where `labels`,
/// or masks, of pictures lie. A picture counts that is there but not among the files, as one that
/// --exclude leaves out. `shared`: files that are not for one picture. A text among pictures counts
/// if it looks like a label.
std::set<std::filesystem::path> find_stray_labels(const CompanionFiles& labels,
                                                  const LabelSources& sources,
                                                  const std::set<std::filesystem::path>& shared);

class LabelCheck {
 public:
  using Tell = std::function<void(const LabelFinding&)>;

  /// A picture.
  struct Seen {
    Size stored = {};
    Orientation tag = Orientation::identity;
    bool is_read = false, is_labelled = false;
    std::uint8_t frame = 0;  ///< of its own label, plus 1; 0 if there is none or it is not tagged
  };

  /// `drawn_on`: unknown if it is to be found out.
  LabelCheck(LabelSources sources, LabelsDrawnOn drawn_on, const Limits& limits);

  /// Compares the picture of this number with its own label and its masks. May be called for
  /// several pictures at the same time.
  std::vector<LabelFinding> check_picture(std::size_t picture, const Header& header);

  /// Must be called when all pictures were checked: COCO files, labels without pictures, pictures
  /// without labels, and what an interrupted run has turned only in part. `note` gets sentences
  /// about files that are for other pictures.
  void check_rest(const Tell& tell, const std::function<void(const std::string&)>& note);

  const LabelSources& sources() const { return sources_; }
  LabelsDrawnOn drawn_on() const { return drawn_on_; }
  const Limits& limits() const { return limits_; }
  const Seen& seen(std::size_t picture) const { return seen_[picture]; }
  /// The header of a picture or of a mask. Throws ImageFileError; FileError.
  Header header_of(const std::filesystem::path& picture) const;
  /// How many pictures have a label. After check_rest().
  std::size_t labelled() const;
  /// How the labels of tagged pictures fit, a picture for each frame of each file.
  const std::vector<std::size_t>& frames() const { return frames_; }

 private:
  void check_own_label(std::size_t picture, std::vector<LabelFinding>& findings);
  void check_mask(std::size_t picture, const std::filesystem::path& mask,
                  std::vector<LabelFinding>& findings);
  /// Tells of the size that a label says, and of the frame. Returns the size that its shapes are
  /// compared with.
  Size compare_size(const LabelContent& content, Seen& seen,
                    const std::function<void(const LabelProblem&)>& tell) const;
  void check_shared(SharedLabels::File file, const SharedLabelPictures& pictures, const Tell& tell,
                    const std::function<void(const std::string&)>& note);
  /// The size of the frame of the labels. If the frame is not known, the smallest size that holds
  /// both frames.
  Size frame_of(const Seen& seen) const;
  bool is_for_others(const SharedLabels::File& file,
                     const std::function<void(const std::string&)>& note) const;
  void check_images(const SharedLabels::File& file, const Tell& tell);
  void check_uses(const Tell& tell) const;
  struct ReadJournal {
    std::filesystem::path file, root;
    JournalContent content;
    std::optional<bool> is_turned(const std::filesystem::path& file) const;
  };
  void read_journals(const Tell& tell);
  void check_steps(const ReadJournal& journal, const Tell& tell) const;
  void check_steps(const ReadJournal& journal, const SharedLabels::File& file,
                   const Tell& tell) const;

  const LabelSources sources_;
  const LabelsDrawnOn drawn_on_;
  const Limits limits_;
  std::vector<Seen> seen_;           // by the number of the file
  std::vector<std::size_t> frames_;  // by FittingFrame
  std::vector<ReadJournal> journals_;
};

}  // namespace qturn
