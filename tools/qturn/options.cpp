#include "tools/qturn/options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <optional>
#include <stdexcept>
#include <type_traits>

#include "src/formats/table.hpp"
#include "src/inputs/variants.hpp"

namespace qturn {
namespace {

// Fields. Most options set one member of CommandLine, and those that are typed again for the record
// of a run say so from the same member.

using Words = std::vector<std::string>;

template <typename Owner, typename Value>
Owner owner_of(Value Owner::*member);

template <typename Owner>
auto& part_of(auto& line) {
  if constexpr (std::is_same_v<Owner, RunOptions>)
    return line.run;
  else if constexpr (std::is_same_v<Owner, LabelOptions>)
    return line.labels;
  else
    return line;
}

/// A member of a command line, of its run or of its labels.
template <auto member>
auto& at(auto& line) {
  return part_of<decltype(owner_of(member))>(line).*member;
}

template <auto member>
constexpr Field flag = {
    [](CommandLine& line, const Option&, const std::string&) { at<member>(line) = true; },
    [](const CommandLine& line, const Option&) { return Words(at<member>(line) ? 1 : 0); }};

/// A flag that stands for a value.
template <auto member, auto value>
constexpr Field flag_for = {
    [](CommandLine& line, const Option&, const std::string&) { at<member>(line) = value; }};

template <auto member>
constexpr Field text = {
    [](CommandLine& line, const Option&, const std::string& value) { at<member>(line) = value; },
    [](const CommandLine& line, const Option&) {
      const std::string typed = at<member>(line);
      return typed.empty() ? Words() : Words{typed};
    }};

template <auto member>
constexpr Field texts = {[](CommandLine& line, const Option&, const std::string& value) {
                           at<member>(line).push_back(value);
                         },
                         [](const CommandLine& line, const Option&) { return at<member>(line); },
                         true};

template <auto member, std::uint64_t least, std::uint64_t most>
constexpr Field number = {[](CommandLine& line, const Option&, const std::string& value) {
                            using Value =
                                typename decltype(std::optional(at<member>(line)))::value_type;
                            at<member>(line) = static_cast<Value>(number_in(value, least, most));
                          },
                          [](const CommandLine& line, const Option&) {
                            const auto typed = std::optional(at<member>(line));
                            return typed ? Words{fmt::format("{}", *typed)} : Words();
                          }};

template <auto member, std::uint64_t least>
constexpr Field size = {[](CommandLine& line, const Option&, const std::string& value) {
  at<member>(line) = size_in(value, least);
}};

/// The option's words stand for `values`, one for one.
template <auto member, auto... values>
constexpr Field choice = {
    [](CommandLine& line, const Option& option, const std::string& value) {
      constexpr std::array of_words = {values...};
      const Words words = split(option.value, '|');
      const auto found = std::ranges::find(words, value);
      if (found == words.end()) throw std::invalid_argument(not_one_of(value, words));
      at<member>(line) = of_words[static_cast<std::size_t>(found - words.begin())];
    },
    [](const CommandLine& line, const Option& option) -> Words {
      constexpr std::array of_words = {values...};
      const auto* const found = std::ranges::find(of_words, at<member>(line));
      if (found == of_words.end()) return {};
      return {split(option.value, '|')[static_cast<std::size_t>(found - of_words.begin())]};
    }};

/// A field that no other template makes.
template <auto set, auto typed = nullptr, bool repeats = false>
constexpr Field custom = {
    [](CommandLine& line, const Option&, const std::string& value) { set(line, value); },
    [](const CommandLine& line, const Option&) {
      if constexpr (std::is_null_pointer_v<decltype(typed)>)
        return Words();
      else
        return typed(line);
    },
    repeats};

void set_format(CommandLine& line, const std::string& name) {
  line.format = codec_of_name(name);
  if (!line.format) throw std::invalid_argument(not_one_of(name, split(format_names(" "), ' ')));
}

Words typed_format(const CommandLine& line) {
  return line.format ? Words{std::string(line.format->name)} : Words();
}

template <auto member>
void add_glob(CommandLine& line, const std::string& glob) {
  if (glob.empty()) throw std::invalid_argument("an empty pattern matches nothing; leave it out");
  at<member>(line).push_back(glob);
}

template <auto member>
constexpr Field globs = {[](CommandLine& line, const Option&, const std::string& value) {
                           add_glob<member>(line, value);
                         },
                         texts<member>.typed, true};

void set_labels(CommandLine& line, const std::string& value) {
  line.labels = label_options(value, line.labels);
}

void set_labels_to_check(CommandLine& line, const std::string& value) {
  if (value == "none") throw std::invalid_argument("none checks no labels; leave --labels out");
  set_labels(line, value);
  line.check_labels = true;
}

Words typed_labels(const CommandLine& line) {
  const LabelOptions& labels = line.labels;
  const auto of = [](std::string_view format, const std::filesystem::path& path) {
    return Words{fmt::format("{}{}{}", format, path.empty() ? "" : ":", path.string())};
  };
  if (labels.take == TakeLabels::none) return {"none"};
  if (labels.take == TakeLabels::one_format) return of(labels.rule.format->option, labels.folder);
  if (labels.take == TakeLabels::one_file) return of(labels.file_format->option, labels.file);
  return {};
}

void set_masks(CommandLine& line, const std::string& value) {
  line.masks = MaskOptions{.take = value != "none"};
  if (value != "none" && value != "auto") line.masks->folder = value;
}

Words typed_masks(const CommandLine& line) {
  if (!line.masks) return {};
  const std::string folder = line.masks->folder.string();
  return {!folder.empty() ? folder : line.masks->take ? "auto" : "none"};
}

void set_keypoints(CommandLine& line, const std::string& value) {
  line.labels.rule.keypoints = parse_keypoints(value);
  if (!line.labels.rule.keypoints)
    throw std::invalid_argument(fmt::format(
        "'{}' is neither none nor KxV, K keypoints of V values (2 or 3), such as 17x3", value));
}

Words typed_keypoints(const CommandLine& line) {
  const auto& keypoints = line.labels.rule.keypoints;
  if (!keypoints) return {};
  return {keypoints->count == 0 ? "none"
                                : fmt::format("{}x{}", keypoints->count, keypoints->values)};
}

void set_variants(CommandLine& line, const std::string& list) {
  (void)parse_variants(list);
  line.variants = list;
}

Words typed_variants(const CommandLine& line) {
  return {line.variants.empty() ? "all" : line.variants};
}

void set_group(CommandLine& line, const std::string& regex) { line.group = DrawGroup(regex); }

Words typed_group(const CommandLine& line) {
  return line.group.is_given() ? Words{line.group.text()} : Words();
}

void set_limit(CommandLine& line, const std::string& value) {
  set_limit(line.run.limits, line.run.seconds, value);
}

void set_json(CommandLine& line, const std::string& file) {
  line.json = true;
  line.json_file = file == "-" ? "" : file;
}

void set_shard(CommandLine& line, const std::string& value) {
  line.shard_is_auto = value == "auto";
  if (!line.shard_is_auto) line.shard = parse_shard(value);
}

constexpr OperationSet rotate = 1, upright = 2, augment = 4, merge = 8, restore = 16, check = 32,
                       devices = 64, without_operation = 128;
constexpr OperationSet turn = rotate | upright;
constexpr OperationSet write = turn | augment;

constexpr std::string_view turn_examples =
    "  qturn {0} photos -o turned\n"
    "  qturn {0} photos --in-place\n"
    "  qturn {0} a.jpg -o b.jpg\n";

constexpr std::string_view exit_status =
    "Exit status: 0 all done; 1 some pictures failed, the others are done; 2 nothing was "
    "started; 129, 130, 143 interrupted.";

using Command = CommandLine::Command;

constexpr Operation operation_table[] = {
    {"rotate90", "cw", "a quarter turn clockwise", turn_examples, exit_status, rotate,
     Command::turn, Orientation::rotate90},
    {"rotate180", "", "a half turn", turn_examples, exit_status, rotate, Command::turn,
     Orientation::rotate180},
    {"rotate270", "ccw", "a quarter turn counter-clockwise", turn_examples, exit_status, rotate,
     Command::turn, Orientation::rotate270},
    {"transpose", "", "mirror across the main diagonal: rows become columns", turn_examples,
     exit_status, rotate, Command::turn, Orientation::transpose},
    {"transverse", "anti-transpose", "mirror across the other diagonal", turn_examples, exit_status,
     rotate, Command::turn, Orientation::transverse},
    {"flip", "vflip", "mirror vertically: exchange top and bottom", turn_examples, exit_status,
     rotate, Command::turn, Orientation::flip},
    {"flop", "hflip", "mirror horizontally: exchange left and right", turn_examples, exit_status,
     rotate, Command::turn, Orientation::flop},
    {"upright", "",
     "apply the orientation tag to the pixels, so that every program shows the picture upright",
     turn_examples, exit_status, upright, Command::turn, Orientation::identity},
    {"augment", "", "write several orientations of each picture, as NAME__ORIENTATION.SUFFIX",
     "  qturn augment data -o data8                       all eight\n"
     "  qturn augment data -o data3 --random 3 --seed 1   three of the eight\n",
     exit_status, augment, Command::augment},
    {"merge", "", "merge the shards of an augmentation into one output",
     "  qturn augment data -o out --shard 0/2   here, or on any machine\n"
     "  qturn augment data -o out --shard 1/2\n"
     "  qturn merge out                         when both are done\n",
     "Exit status: 0 merged, now or earlier; 1 a file could not be written, run it again; 2 "
     "nothing was started.",
     merge, Command::merge},
    {"restore", "", "put back the originals that a run with --backup replaced",
     "  qturn restore kept                       the runs whose originals are there\n"
     "  qturn restore kept/2026-11-24T18-20-11   what that run replaced\n",
     "Exit status: 0 all were restored; 1 some were not, for instance because they have changed "
     "since; 2 nothing was started; 129, 130, 143 interrupted, run it again.",
     restore, Command::restore},
    {"check", "", "find damage, and metadata or labels that contradict the picture",
     "  qturn check photos           decodes every picture; writes nothing\n"
     "  qturn check photos --quick   headers and metadata only\n"
     "  qturn check --labels data    also boxes, polygons, keypoints and masks\n"
     "  qturn check --against photos turned   each result with its original\n",
     "Exit status: 0 nothing found; 1 some are damaged, disagree or cannot be read; 2 nothing "
     "was checked; 129, 130, 143 interrupted.",
     check, Command::check},
    {"devices", "", "list the CPU and the GPUs, and say what qturn would use", "", "", devices,
     Command::devices},
};

using Line = CommandLine;
constexpr Field none = {};  // what the parser does by itself
constexpr std::uint64_t any_number = std::numeric_limits<std::uint64_t>::max();

// An option whose help differs between operations has a row for each help.
constexpr Option option_table[] = {
    {0xff, "More", "-h", "", "print the operations", none},
    {0xff, "More", "--help", "", "print the operations, options and exit status", none},
    {without_operation, "More", "-V,--version", "", "print the versions of qturn and its codecs",
     none},

    {write, "Output", "-o,--output", "OUTPUT",
     "the folder for the results, or for one picture a file with a picture's suffix, such as "
     "out.png; a name that ends in .tar is a tar, any other name is a folder (of tars, if the "
     "inputs are tars), - is standard output",
     text<&Line::output>},
    {turn, "Output", "--in-place", "", "replace each input with its result", flag<&Line::in_place>,
     "", "--output --base --overwrite --skip-existing --update"},
    {write, "Output", "--overwrite", "", "replace outputs that exist",
     flag_for<&Line::existing, Existing::overwrite>, "", "--skip-existing --update"},
    {write, "Output", "--skip-existing", "", "skip outputs that exist, and count them",
     flag_for<&Line::existing, Existing::skip>, "", "--update"},
    {write, "Output", "--update", "", "replace only outputs that are older than their input",
     flag_for<&Line::existing, Existing::update>},
    {write, "Output", "--base", "DIR",
     "with --files-from: write absolute paths below OUTPUT, relative to DIR", text<&Line::base>},
    {write, "Output", "--format", "FORMAT",
     "write this format: {formats}; default: that of the input", custom<set_format, typed_format>},
    {write, "Output", "--quality", "N",
     "quality of the JPEG or WebP that --format writes, 1 to 100; it makes a WebP lossy. Default: "
     "JPEG 95, WebP lossless",
     number<&RunOptions::quality, 1, 100>, "--format"},
    {write, "Output", "--png", "small|fast",
     "how PNGs are compressed: small, or fast (default of augment), which takes half the time and "
     "about 7 % more bytes",
     choice<&Line::png, PngMode::small, PngMode::fast>},
    {turn, "Output", "--break-links", "",
     "with --in-place, also turn files with several hard links; the other names keep the old "
     "picture",
     flag<&Line::break_links>, "--in-place"},
    {turn, "Output", "--allow-stale-metadata", "",
     "with --in-place, also turn pictures with metadata that is no longer true afterwards (map "
     "coordinates, regions, microscope axes), with a warning; otherwise they fail",
     flag<&RunOptions::allow_stale_metadata>, "--in-place"},

    {write, "Safety", "--resume", "",
     "continue a run that was interrupted, failed in part or is done: do only what is not done "
     "yet. In place, the record of the run then stays beside the pictures",
     flag<&Line::resume>, "", "--skip-existing --update"},
    {turn, "Safety", "--restart", "",
     "with --in-place: forget the earlier run, and turn every picture, even those that it has "
     "turned",
     flag<&Line::restart>, "--in-place", "--resume"},
    {turn, "Safety", "--no-record", "",
     "with --in-place: when all is done, leave no record of what was turned. --resume then knows "
     "nothing of this run",
     flag<&Line::no_record>, "--in-place", "--resume"},
    {turn, "Safety", "--backup", "DIR",
     "with --in-place: keep the originals in a folder of this run in DIR, so that 'qturn restore' "
     "can put them back",
     text<&Line::backup>, "--in-place"},
    {write, "Safety", "--verify", "",
     "read each result back and compare it with its original before it is put in place: "
     "coefficients, pixels, orientation, metadata, labels (default in place)",
     flag_for<&Line::verify, true>, "", "--format"},
    {turn, "Safety", "--no-verify", "", "with --in-place: do not verify; faster",
     flag_for<&Line::verify, false>, "--in-place", "--verify"},
    {write, "Safety", "--fsync", "each|end|never",
     "when results are flushed to the disk: each (default in place), before it replaces its "
     "original; end (default with a folder as output), once at the end; or never",
     choice<&Line::fsync, Fsync::each, Fsync::end, Fsync::never>},

    // `upright --tag-only` would do nothing.
    {rotate, "Output", "--tag-only", "",
     "change only the orientation tag (JPEG, PNG, TIFF, WebP, and --raw); pixels are neither read "
     "nor changed",
     flag<&RunOptions::tag_only>, "", "--format"},
    {rotate, "Input", "--raw", "",
     "with --tag-only: also change the orientation tag of camera raw files that are structured "
     "like a TIFF (DNG, NEF, CR2, ARW and others); nothing else in them changes",
     flag<&Line::raw>, "--tag-only"},

    {turn, "Output", "--strict", "",
     "fail a file that would cause a warning, and a JPEG that would be re-encoded because it "
     "cannot be turned losslessly",
     flag<&RunOptions::strict>},
    {augment, "Output", "--strict", "",
     "fail a file that would cause a warning, and a JPEG that would be re-encoded because it "
     "cannot be turned losslessly; refuse to start if a file of an unknown kind would be copied "
     "with its picture",
     flag<&RunOptions::strict>},
    {write, "Output", "--allow-storage-change", "",
     "also turn a TIFF that cannot stay stored as it is (JPEG inside becomes Deflate), with a "
     "warning; without this option it is refused",
     flag<&RunOptions::allow_storage_change>, "--output"},
    {turn, "Output", "--salvage", "",
     "write what can be recovered of a damaged JPEG, PNG or TIFF; the rest is grey or black. The "
     "file is named, and the exit status is 1. Without this option a damaged picture is not "
     "written",
     flag<&RunOptions::salvage>, "", "--in-place --strict --verify --tag-only"},
    {turn, "Output", "--sidecars", "",
     "also turn XMP sidecars, the files a.xmp or a.jpg.xmp beside a.jpg; in place those that agree "
     "with their picture are always turned",
     flag<&Line::sidecars>},
    {turn, "Output", "--believe", "exif|sidecar",
     "which counts where two disagree about how a picture is stored: exif, also if the container "
     "of "
     "a HEIC or AVIF says nothing, or its XMP sidecar; without this option such a picture stays as "
     "it is, in place and with --sidecars",
     choice<&Line::believe, Believe::picture, Believe::sidecars>},

    {augment, "Variants", "--variants", "LIST",
     "which orientations: all (default), rotations, or a list such as identity,rotate90,flop",
     custom<set_variants, typed_variants>},
    {augment, "Variants", "--random", "K",
     "K different orientations for each picture, chosen by its path and the seed",
     number<&Line::random, 1, 8>, "", "--variants"},
    {augment, "Variants", "--seed", "S", "the seed of --random; default: 0",
     number<&Line::seed, 0, any_number>, "--random"},
    {augment, "Variants", "--group", "REGEX",
     "which part of a path without its suffix chooses the variants: the first group of a regular "
     "expression, such as '(.*?)(_seg|_depth)?', so that pictures that belong together get the "
     "same; "
     "path chooses for each picture by itself",
     custom<set_group, typed_group>, "--random"},

    {write, "Labels", "--labels", "auto|none|FORMAT[:DIR]|FORMAT:FILE",
     "auto (default) turns the labels that it finds in known formats; {picture_labels} turns only "
     "that format, with :DIR only below DIR; {shared_labels} with :FILE turns only that file, also "
     "a member of a tar; "
     "huggingface:voc turns boxes that are two corners; none turns the pictures without labels of "
     "known formats, and counts those",
     custom<set_labels, typed_labels>},
    {check, "Labels", "--labels", "[auto|FORMAT[:DIR]|FORMAT:FILE]",
     "also compare labels and masks with their pictures; without a value, or with auto, those that "
     "augment would find; {found_labels} checks only that format, with :DIR only below DIR; "
     "huggingface:voc checks boxes that are two corners; the other formats with :FILE check only "
     "that file",
     custom<set_labels_to_check>, "", "", "auto"},
    {write, "Labels", "--masks", "auto|none|DIR",
     "auto turns the masks that it finds; DIR turns those below DIR; none treats masks as ordinary "
     "pictures. Default: auto, but none with --labels none",
     custom<set_masks, typed_masks>},
    {check, "Labels", "--masks", "auto|none|DIR",
     "with --labels: auto (default) checks the masks that it finds; DIR checks those below DIR; "
     "none checks none",
     custom<set_masks>, "--labels"},
    {write, "Labels", "--labels-drawn-on", "stored|upright",
     "what the labels and masks of pictures with an orientation tag were drawn on: the stored "
     "pixels, or the upright picture that a viewer shows",
     choice<&RunOptions::labels_drawn_on, LabelsDrawnOn::stored, LabelsDrawnOn::upright>},
    {check, "Labels", "--labels-drawn-on", "stored|upright",
     "with --labels: what the labels of pictures with an orientation tag were drawn on; default: "
     "found out where the labels tell",
     choice<&RunOptions::labels_drawn_on, LabelsDrawnOn::stored, LabelsDrawnOn::upright>,
     "--labels"},
    {write, "Labels", "--keypoints", "none|KxV",
     "each object in YOLO labels has K keypoints of V values (2 or 3), such as 17x3; default: "
     "kpt_shape in the data set's YAML file",
     custom<set_keypoints, typed_keypoints>},
    {check, "Labels", "--keypoints", "none|KxV",
     "each object in YOLO labels has K keypoints of V values (2 or 3), such as 17x3; default: "
     "kpt_shape in the data set's YAML file",
     custom<set_keypoints>, "--labels"},
    {check, "Labels", "--html", "FILE",
     "also write an HTML page of up to 200 pictures, those with findings first; with --labels "
     "their labels are drawn",
     text<&Line::html_file>},
    {check, "Labels", "--swap-pairs", "FILE",
     "with --against: the file that was given when INPUT was turned",
     text<&LabelOptions::swap_pairs>, "--against"},
    {write, "Labels", "--swap-pairs", "FILE",
     "a text file of pairs that a mirror swaps, one per line: keypoints of YOLO and COCO labels, "
     "counted from 0, such as 1 2, or classes of any labels, such as left_hand: right_hand; "
     "default: flip_idx in the data set's YAML file for YOLO, left and right in the names of "
     "keypoints for COCO",
     text<&LabelOptions::swap_pairs>},
    {augment, "Labels", "--html", "FILE",
     "also write an HTML page of up to 50 pictures in all their variants, with the labels drawn",
     text<&Line::html_file>},

    {merge, "Output", "OUTPUT", "OUTPUT", "the folder that all shards wrote to",
     text<&Line::output>},
    {restore, "Input", "BACKUP", "BACKUP",
     "the folder of a run in the DIR of --backup, such as kept/2026-11-24T18-20-11; DIR itself "
     "lists its runs",
     text<&Line::backup>},
    {restore, "Output", "--to", "DIR",
     "the folder that the run turned lies at DIR now, because it was renamed or moved",
     text<&Line::to>},

    {write | check, "Input", "INPUT", "INPUT",
     "pictures, folders (searched recursively) or tars; - is one picture or one tar on standard "
     "input",
     texts<&Line::inputs>},
    {write | check, "Input", "--files-from", "FILE",
     "read the names of inputs from FILE, one per line; - is standard input",
     text<&Line::files_from>},
    {write | check, "Input", "-0,--null", "",
     "names in --files-from end with NUL instead of a newline", flag<&Line::nul_separated>},
    {write | check, "Input", "--include", "GLOB",
     "in folders, take only files whose name or path matches GLOB; may be repeated",
     globs<&Line::include>},
    {write | check, "Input", "--exclude", "GLOB",
     "in folders, leave out files whose name or path matches GLOB; may be repeated",
     globs<&Line::exclude>},
    {write | check, "Input", "--hidden", "",
     "in folders, also take hidden entries, @eaDir, *.photoslibrary and *.lrdata",
     flag<&Line::hidden>},
    {write | check, "Input", "--follow", "", "in folders, follow symbolic links",
     flag<&Line::follow>},
    {write, "Input", "--others", "stop|leave|count|copy",
     "files that are not pictures: stop if any may say where something is in a picture (default), "
     "leave them, or copy them",
     choice<&Line::others, Others::stop, Others::leave, Others::leave, Others::copy>},

    {write, "JPEG", "--jpeg", "lossless|planar",
     "how JPEGs are turned; lossless (default) moves the coefficients where that is exact (see "
     "--jpeg-edges); planar re-encodes every JPEG from its own planes with its own tables",
     choice<&Line::jpeg, JpegMode::lossless, JpegMode::planar>},
    {write, "JPEG", "--jpeg-edges", "reencode|trim|tag|skip|fail",
     "what to do with a JPEG that cannot be turned losslessly, because its edge cuts through a "
     "block; reencode (default with -o) re-encodes it from its own planes; trim cuts off the "
     "incomplete blocks; tag stores the turn in the orientation tag (default in place); skip "
     "leaves the file as it is (default of upright in place); fail reports an error",
     choice<&Line::jpeg_edges, JpegEdges::reencode, JpegEdges::trim, JpegEdges::tag,
            JpegEdges::skip, JpegEdges::fail>},

    {write, "Tars", "--tar-size", "SIZE",
     "begin a new tar before one exceeds SIZE, such as 1GB; out.tar becomes out-000000.tar, "
     "out-000001.tar, ...",
     size<&Line::tar_bytes, 1 << 10>},
    {write, "Tars", "--unpack", "",
     "write the files in the tars into the folder OUTPUT, not a tar for each", flag<&Line::unpack>,
     "", "--tar-size"},

    {check, "Running", "--quick", "",
     "read headers and metadata only; pixels are not decoded, so most damage is not found",
     flag<&Line::quick>},
    {check, "Input", "--against", "DIR",
     "compare INPUT, turned by any program, with the originals of the same names below DIR; each "
     "picture must be its original in one of the eight orientations, with its metadata, labels and "
     "masks",
     text<&Line::against>, "", "--quick --html --files-from"},
    {check, "Input", "--raw", "", "also check the orientation tags of camera raw files",
     flag<&Line::raw>},
    {write, "Running", "--device", "DEVICE",
     "where pictures are turned: auto (default: the fastest), cpu, cuda (all GPUs), or cuda:0,1 "
     "(these GPUs); 'qturn devices' lists them",
     text<&Line::device>},
    {write, "Running", "-j,--threads", "N",
     "turn N pictures at a time; default: one per core that this process may use",
     number<&Line::threads, 1, 1024>},
    {check, "Running", "-j,--threads", "N",
     "check N pictures at a time; default: one per core that this process may use",
     number<&Line::threads, 1, 1024>},
    {write | check, "Running", "--memory", "SIZE",
     "memory for files and pixels, such as 512MiB or 4G; a picture that needs more is refused. "
     "Default: a quarter of the free memory; a single larger picture may take three quarters",
     size<&Line::memory_bytes, 16 << 20>},
    {write | check, "Running", "--limit", "NAME=VALUE",
     "refuse a file that exceeds a limit; VALUE is a number or none; may be repeated. Names and "
     "defaults: {limits}",
     custom<set_limit, nullptr, true>},
    {write, "Running", "-n,--dry-run", "", "print what would be done, and write nothing",
     flag<&Line::dry_run>},
    {restore, "Running", "-n,--dry-run", "", "print what would be put back, and write nothing",
     flag<&Line::dry_run>},
    {write, "Running", "--json", "[=FILE]",
     "print one JSON object per output, to standard output or to FILE", custom<set_json>, "", "",
     "-"},
    {check, "Running", "--json", "[=FILE]",
     "print one JSON object per picture, to standard output or to FILE", custom<set_json>, "", "",
     "-"},
    {devices, "Running", "--json", "[=FILE]",
     "print one JSON object per machine, to standard output or to FILE", custom<set_json>, "", "",
     "-"},
    {write | check | restore, "Running", "--progress", "[=SECONDS]",
     "print a line of progress every 30 s, or every SECONDS, where there is no terminal; SIGUSR1 "
     "prints one at any time",
     number<&Line::progress_seconds, 1, 86400>, "", "", "30"},
    {write | merge | restore, "Running", "-q,--quiet", "", "print errors only", flag<&Line::quiet>},
    {check, "Running", "-q,--quiet", "", "print only findings and errors", flag<&Line::quiet>},
    {write, "Running", "-v,--verbose", "", "print a line for each output, and the device",
     flag<&Line::verbose>, "", "--quiet"},
    {augment, "Running", "--shard", "I/N|auto",
     "take part I (0 to N-1) of N parts of the samples or tars; other runs take the other parts, "
     "at the same time, with the same output, and 'qturn merge' merges them. auto: take I and N "
     "from Slurm, Kubernetes, AWS Batch or MPI",
     custom<set_shard>, "", "--overwrite --skip-existing --update --html"},
};

constexpr std::string_view often[] = {
    "--output",  "--in-place", "--variants", "--random",  "--seed",       "--overwrite",
    "--resume",  "--backup",   "--labels",   "--quick",   "--jpeg-edges", "--format",
    "--quality", "--shard",    "--html",     "--dry-run", "--verbose"};

constexpr bool are_options(std::string_view names) {
  while (!names.empty()) {
    const std::string_view name = names.substr(0, names.find(' '));
    if (std::ranges::find(option_table, name, &Option::name) == std::end(option_table))
      return false;
    names.remove_prefix(std::min(name.size() + 1, names.size()));
  }
  return true;
}

constexpr bool names_are_options_and_unique() {
  for (const Option& option : option_table) {
    if (!are_options(option.needs) || !are_options(option.excludes)) return false;
    if (std::ranges::any_of(option_table, [&](const Option& other) {
          return &other != &option && (other.of & option.of) != 0 && other.name() == option.name();
        }))
      return false;
  }
  return std::ranges::all_of(often, are_options);
}
static_assert(names_are_options_and_unique());

std::string in_one_line(std::vector<std::string_view> names) {
  const std::string_view last = names.back();
  names.pop_back();
  return fmt::format("{} or {}", fmt::join(names, ", "), last);
}

/// "yolo, voc, labelme or kitti": the formats of labels of one picture, with voc:0 if `all`.
std::string formats_of_pictures(bool all) {
  std::vector<std::string_view> names;
  for (const LabelFormat& format : label_formats) {
    if (format.is_named_only) continue;
    names.push_back(format.option);
    if (all && !format.other.empty()) names.push_back(format.other);
  }
  return in_one_line(std::move(names));
}

std::string formats_of_files() {
  std::vector<std::string_view> names;
  for (const SharedLabelFormat& format : shared_label_formats)
    if (!format.is_named_only) names.push_back(format.option);
  return in_one_line(std::move(names));
}

std::string limits_in_words() {
  const CommandLine line;
  const Limits& limits = line.run.limits;
  return fmt::format(
      "pixels={}; ratio={} bytes of pixels per byte of the file, for pixels of more than {} MiB; "
      "metadata-bytes={}; metadata-count={}; scans={} of a JPEG; directories={} of a TIFF; "
      "seconds={:.0f} of work",
      limits.pixels, limits.ratio, Limits::ratio_counts_from >> 20, limits.metadata_bytes,
      limits.metadata_count, limits.scans, limits.directories, line.run.seconds);
}

}  // namespace

const Operation program = {
    "qturn",
    "",
    "Turns and mirrors pictures as a viewer shows them: the stored orientation is honoured, and "
    "the result is stored upright. Metadata and colour profiles are kept. A JPEG is turned "
    "losslessly where its size permits that (see --jpeg-edges).",
    "  qturn upright photos -o turned          pixels turned as the tags say\n"
    "  qturn upright photos --in-place         the files replaced, losslessly\n"
    "  qturn rotate90 scan.tif -o turned.tif   a quarter turn clockwise\n",
    exit_status,
    without_operation,
    {}};

std::vector<std::string> Operation::names() const {
  std::vector<std::string> names{std::string(name)};
  if (!alias.empty()) names.emplace_back(alias);
  return names;
}

std::span<const Operation> operations() { return operation_table; }

const Operation* operation_of(std::string_view name) {
  const auto* const found = std::ranges::find_if(operation_table, [&](const Operation& operation) {
    return !name.empty() && (operation.name == name || operation.alias == name);
  });
  return found == std::end(operation_table) ? nullptr : found;
}

std::span<const Option> options() { return option_table; }

std::span<const std::string_view> often_typed() { return often; }

const Option* option_of(const Operation& operation, std::string_view name) {
  const auto* const found = std::ranges::find_if(option_table, [&](const Option& option) {
    return (option.of & operation.bit) != 0 &&
           std::ranges::count(split(option.names, ','), name) > 0;
  });
  return found == std::end(option_table) ? nullptr : found;
}

std::string help_of(const Option& option) {
  if (option.help.find('{') == std::string_view::npos) return std::string(option.help);
  return fmt::format(fmt::runtime(option.help), fmt::arg("formats", format_names(", ")),
                     fmt::arg("picture_labels", formats_of_pictures(true)),
                     fmt::arg("found_labels", formats_of_pictures(false)),
                     fmt::arg("shared_labels", formats_of_files()),
                     fmt::arg("limits", limits_in_words()));
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(separator));
    words.emplace_back(word);
    text.remove_prefix(std::min(word.size() + 1, text.size()));
  }
  return words;
}

}  // namespace qturn
