#include "tests/faults/disk_states.hpp"

#include <algorithm>
#include <random>
#include <utility>

namespace faults {
namespace {

using Kind = Operation::Kind;

/// Calls `visit` with a number below counts[i] for each i, in every combination if there are at
/// most bounds.most. 0 stands for no deviation, 1 for the loss of something.
void combine(const std::vector<std::size_t>& counts, const Bounds& bounds, std::mt19937_64& random,
             const std::function<void(const std::vector<std::size_t>&)>& visit) {
  std::size_t combinations = 1;
  for (const std::size_t count : counts) {
    combinations *= count;
    if (combinations > bounds.most) break;
  }
  std::vector<std::size_t> chosen(counts.size());
  if (combinations <= bounds.most) {
    for (std::size_t i = 0; i < combinations; ++i) {
      std::size_t rest = i;
      for (std::size_t at = 0; at < counts.size(); ++at) {
        chosen[at] = rest % counts[at];
        rest /= counts[at];
      }
      visit(chosen);
    }
    return;
  }
  std::size_t visited = 0;
  for (const std::size_t usual : {0, 1}) {
    std::ranges::fill(chosen, usual);
    visit(chosen);
    for (std::size_t at = 0; at < counts.size(); ++at) {
      for (std::size_t other = 0; other < counts[at] && visited < bounds.most; ++other) {
        if (other == usual) continue;
        chosen[at] = other;
        visit(chosen);
        chosen[at] = usual;
        ++visited;
      }
    }
  }
  // The power may fail before the last of them are made. Of the others few deviate, or many.
  for (; visited < bounds.most; ++visited) {
    const std::size_t made = random() % (counts.size() + 1);
    const std::size_t one_in = std::size_t{2} << random() % 4;
    for (std::size_t at = 0; at < counts.size(); ++at) {
      chosen[at] = at >= made ? 1 : 0;
      if (at < made && random() % one_in == 0) chosen[at] = random() % counts[at];
    }
    visit(chosen);
  }
}

bool is_flushed(const Record& record, std::size_t index, std::size_t end, Inode inode) {
  return std::any_of(record.operations.begin(), record.operations.begin() + static_cast<long>(end),
                     [&](const Operation& flush) {
                       return flush.kind == Kind::flush && index < flush.flushed &&
                              (flush.inode == inode || flush.inode == 0);
                     });
}

/// Whether the operation, of the first `end`, is certainly on the disk.
bool is_kept_by_posix(const Record& record, std::size_t index, std::size_t end) {
  const Operation& operation = record.operations[index];
  switch (operation.kind) {
    case Kind::flush:
      return true;
    case Kind::name:
    case Kind::unname:
      return is_flushed(record, index, end, operation.to.folder);
    case Kind::rename:
      return is_flushed(record, index, end, operation.to.folder) &&
             is_flushed(record, index, end, operation.from.folder);
    default:
      return is_flushed(record, index, end, operation.inode);
  }
}

void states_by_posix(const Record& record, const Bounds& bounds, const Visit& visit) {
  std::mt19937_64 random(bounds.seed);
  for (std::size_t end = 0; end <= record.operations.size(); ++end) {
    // What may be lost before a flush may also be lost before that, with what follows.
    if (end < record.operations.size() && record.operations[end].kind != Kind::flush) continue;
    std::vector<std::size_t> open, counts;
    for (std::size_t i = 0; i < end; ++i) {
      if (is_kept_by_posix(record, i, end)) continue;
      open.push_back(i);
      counts.push_back(record.operations[i].kind == Kind::write ? 4 : 2);
    }
    combine(counts, bounds, random, [&](const std::vector<std::size_t>& chosen) {
      Fates fates(end, Fate::kept);
      for (std::size_t i = 0; i < open.size(); ++i) fates[open[i]] = static_cast<Fate>(chosen[i]);
      visit(fates);
    });
  }
}

/// Whether a write of the first `end` operations is certainly on the disk.
bool is_kept_by_ext4(const Record& record, std::size_t index, std::size_t end) {
  const Inode inode = record.operations[index].inode;
  for (std::size_t i = index + 1; i < end; ++i) {
    const Operation& later = record.operations[i];
    if (later.kind == Kind::rename && later.inode == inode && later.replaces) return true;
  }
  return is_flushed(record, index, end, inode);
}

void states_by_ext4(const Record& record, const Bounds& bounds, const Visit& visit) {
  std::mt19937_64 random(bounds.seed);
  for (std::size_t end = 0; end <= record.operations.size(); ++end) {
    std::map<Inode, std::vector<std::size_t>> open;  // the writes of each file, the last one first
    for (std::size_t i = end; i-- > 0;) {
      const Operation& operation = record.operations[i];
      if (operation.kind == Kind::write && !is_kept_by_ext4(record, i, end))
        open[operation.inode].push_back(i);
    }
    std::vector<std::size_t> counts;
    for (const auto& [inode, writes] : open) counts.push_back(2 * writes.size() + 1);
    combine(counts, bounds, random, [&](const std::vector<std::size_t>& chosen) {
      Fates fates(end, Fate::kept);
      auto number = chosen.begin();
      for (const auto& [inode, writes] : open) {
        // 1: the last one is lost, 2: it is cut short; 3: the one before it is lost too...
        const std::size_t lost = *number / 2 + *number % 2;
        for (std::size_t i = 0; i < lost; ++i) fates[writes[i]] = Fate::lost;
        if (*number > 0 && *number % 2 == 0) fates[writes[lost - 1]] = Fate::cut;
        ++number;
      }
      visit(fates);
    });
  }
}

void write(std::string& content, std::uint64_t offset, const std::string& data) {
  if (content.size() < offset + data.size()) content.resize(offset + data.size());
  content.replace(offset, data.size(), data);
}

}  // namespace

void apply(const Operation& operation, Fate fate, Disk& disk) {
  if (fate == Fate::lost) return;
  const auto names = [&](const Entry& place) -> auto& { return disk.nodes[place.folder].names; };
  const auto remove = [&](const Entry& place) {
    const auto found = names(place).find(place.name);
    if (found != names(place).end() && found->second == operation.inode) names(place).erase(found);
  };
  File& file = disk.nodes[operation.inode].file;
  const std::string& data = operation.data;
  switch (operation.kind) {
    case Kind::name:
      names(operation.to)[operation.to.name] = operation.inode;
      break;
    case Kind::unname:
      remove(operation.to);
      break;
    case Kind::rename:
      remove(operation.from);
      names(operation.to)[operation.to.name] = operation.inode;
      if (operation.other != 0) names(operation.from)[operation.from.name] = operation.other;
      break;
    case Kind::write:
      if (fate == Fate::kept) write(file.content, operation.offset, data);
      if (fate == Fate::cut) write(file.content, operation.offset, data.substr(0, data.size() / 2));
      if (fate == Fate::zeros)
        write(file.content, operation.offset, std::string(data.size(), '\0'));
      break;
    case Kind::truncate:
      file.content.resize(operation.offset);
      break;
    case Kind::attributes:
      file.mode = operation.attributes.mode;
      file.modified_s = operation.attributes.modified_s;
      file.rating = operation.attributes.rating;
      break;
    case Kind::flush:
      break;
  }
}

Disk disk_after(const Record& record, const Fates& fates) {
  Disk disk = record.before;
  for (std::size_t i = 0; i < fates.size(); ++i) apply(record.operations[i], fates[i], disk);
  return disk;
}

void for_each_state(const Record& record, Rules rules, const Bounds& bounds, const Visit& visit) {
  if (rules == Rules::ext4)
    states_by_ext4(record, bounds, visit);
  else
    states_by_posix(record, bounds, visit);
}

}  // namespace faults
