// A data set with labels of every kind, and runs of augment that divide it, for the tests of
// shards.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "tests/cli/labelled.hpp"

namespace cli {

/// Labels of every kind, masks, sidecars, other files, a data set with a list, and a picture that
/// is stored turned.
inline void add_data_set(const Workplace& workplace, int pictures = 12) {
  std::string images, annotations, list, rows = "filename,xmin,ymin,xmax,ymax\n";
  for (int i = 0; i < pictures; ++i) {
    const std::string name = fmt::format("{:02}", i);
    workplace.add("data/images/" + name + ".png", png(numbered_picture(i, 9, 5)));
    workplace.add("data/labels/" + name + ".txt", "0 0.25 0.5 0.1 0.20\n");
    const char* separator = i > 0 ? ", " : "";
    // In the order neither of the names nor of their ids.
    const int id = (i * 5 + 3) % pictures;
    images += fmt::format(R"({}{{"id": {}, "file_name": "{:02}.png", "width": 9, "height": 5}})",
                          separator, id, id);
    annotations += fmt::format(R"({}{{"id": {}, "image_id": {}, "bbox": [1, 2, 3, 1]}})", separator,
                               i, (i * 7) % pictures);
    list += fmt::format("./images/{:02}.png\r\n", (i * 5 + 1) % pictures);
    rows += fmt::format("{:02}.png,1,1,4,3\n", (i * 5 + 7) % pictures);
  }
  workplace.add("data/images/03.caption", "a cat");
  workplace.add("data/masks/02.png", png(labelled_picture));
  workplace.add("data/images/x/photo.jpg", jpeg(smooth_picture(40, 24)));
  workplace.add("data/annotations/x.json",
                fmt::format(R"({{"images": [{}], "annotations": [{}]}})", images, annotations));
  workplace.add("data/boxes.csv", rows);
  workplace.add("data/data.yaml", "path: ../data\ntrain: images\nval: val.txt\nnames: [cat]\n");
  workplace.add("data/val.txt", list);
  workplace.add("data/ImageSets/Main/cat_val.txt", "03  1\r\n00 -1\r\n02  1\r\n");
}

/// The words of a run of one shard.
inline Words shard(int index, int count, const Words& more = {}) {
  return with({"augment", "data", "-o", "out", "--shard", fmt::format("{}/{}", index, count)},
              more);
}

inline void run_shards(const Workplace& workplace, int count, const Words& more = {}) {
  for (int index = count - 1; index >= 0; --index) workplace.done(shard(index, count, more));
}

inline void run_whole(const Workplace& workplace, const Words& more = {}) {
  workplace.done(with({"augment", "data", "-o", "whole"}, more));
}

/// All of a merged output, with what is hidden there.
inline void require_same_as_whole(const Workplace& workplace) {
  CHECK(workplace.tree("out") == workplace.tree("whole"));
  CHECK_FALSE(workplace.exists("out/.qturn-shards"));
  CHECK_FALSE(workplace.exists("out/.qturn-shards-merged"));
}

}  // namespace cli
