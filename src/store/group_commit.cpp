#include "src/store/group_commit.hpp"

#include <algorithm>
#include <map>

namespace qturn {

std::vector<std::string> GroupCommit::commit(StagedFiles& files, const Intent& intent) {
  Member own{files, intent};
  if (fsync_ == Fsync::each) {
    wait_in_queue(own);
  } else {
    Member* const alone = &own;
    put_in_place(std::span(&alone, 1));
  }
  if (own.error) std::rethrow_exception(own.error);
  return std::move(own.warnings);
}

void GroupCommit::wait_in_queue(Member& own) {
  std::unique_lock lock(mutex_);
  waiting_.push_back(&own);
  while (!own.is_over) {
    if (is_led_) {
      changed_.wait(lock);
      continue;
    }
    const auto count = std::min<std::ptrdiff_t>(largest_group, std::ssize(waiting_));
    const std::vector<Member*> group(waiting_.begin(), waiting_.begin() + count);
    waiting_.erase(waiting_.begin(), waiting_.begin() + count);
    is_led_ = true;
    lock.unlock();
    put_in_place(group);
    lock.lock();
    for (Member* member : group) member->is_over = true;
    is_led_ = false;
    changed_.notify_all();
  }
}

void GroupCommit::put_in_place(std::span<Member* const> group) {
  const auto for_each_good = [&](auto step) {
    for (Member* member : group) {
      if (member->error) continue;
      try {
        step(*member);
      } catch (...) {
        member->error = std::current_exception();
      }
    }
  };
  for_each_good([&](Member& member) { member.files.finish_writing(); });
  if (journals_) write_intents(group);
  for_each_good([&](Member& member) { member.warnings = member.files.put_in_place(); });
  if (fsync_ == Fsync::end) {
    const std::lock_guard lock(writing_);
    for_each_good([&](Member& member) { member.files.add_to(written_); });
  }
  if (fsync_ == Fsync::each) {
    FlushedFolders flushed;
    for_each_good([&](Member& member) { member.files.flush_folders(flushed, member.warnings); });
  }
  for (const Member* member : group) {
    if (!member->is_intended) continue;
    const std::lock_guard lock(writing_);
    journals_->of(member->intent.front().target).settle(member->intent, !member->error);
  }
}

void GroupCommit::write_intents(std::span<Member* const> group) {
  std::map<Journal*, std::vector<Member*>> by_journal;
  for (Member* member : group)
    if (!member->error) by_journal[&journals_->of(member->intent.front().target)].push_back(member);
  for (const auto& [journal, members] : by_journal) {
    std::vector<const Intent*> intents;
    for (const Member* member : members) intents.push_back(&member->intent);
    std::exception_ptr error;
    try {
      const std::lock_guard lock(writing_);
      journal->intend(intents);
    } catch (...) {
      error = std::current_exception();
    }
    for (Member* member : members) {
      member->error = error;
      member->is_intended = !error;
    }
  }
}

std::vector<std::string> GroupCommit::flush() const { return written_.flush(); }

}  // namespace qturn
