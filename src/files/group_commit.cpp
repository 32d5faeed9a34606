#include "src/files/group_commit.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <system_error>

#include "src/tasks/suspend.hpp"

namespace qturn {

GroupCommit::GroupCommit(Fsync fsync, Journals* journals) : fsync_(fsync), journals_(journals) {
  if (fsync_ != Fsync::each) return;
  try {
    flusher_ = std::thread([this] { flush_groups(); });
  } catch (const std::system_error&) {
    // Without a thread each task flushes its own files.
  }
}

GroupCommit::~GroupCommit() {
  if (!flusher_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  arrived_.notify_one();
  flusher_.join();
}

std::vector<std::string> GroupCommit::commit(StagedFiles& files, const Intent& intent) {
  if (!flusher_.joinable()) return commit_alone(files, intent);
  Member own{files, intent};
  suspend([this, &own](Resume resume) {
    const std::lock_guard lock(mutex_);
    own.resume = std::move(resume);
    waiting_.push_back(&own);
    arrived_.notify_one();
  });
  if (own.error) std::rethrow_exception(own.error);
  return std::move(own.warnings);
}

std::vector<std::string> GroupCommit::commit_alone(StagedFiles& files, const Intent& intent) {
  Member own{files, intent};
  Member* const alone = &own;
  put_in_place(std::span(&alone, 1));
  if (own.error) std::rethrow_exception(own.error);
  return std::move(own.warnings);
}

void GroupCommit::flush_groups() {
  std::unique_lock lock(mutex_);
  while (true) {
    arrived_.wait_until(lock, for_ever, [&] { return is_over_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    const auto count = std::min<std::ptrdiff_t>(largest_group, std::ssize(waiting_));
    const std::vector<Member*> group(waiting_.begin(), waiting_.begin() + count);
    waiting_.erase(waiting_.begin(), waiting_.begin() + count);
    lock.unlock();
    put_in_place(group);
    for (Member* member : group) Resume(member->resume)();
    lock.lock();
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
  if (journals_ && fsync_ == Fsync::each) {
    FlushedFolders flushed;
    for_each_good([&](Member& member) { member.files.flush_names(flushed); });
  }
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
    if (member->intended.empty()) continue;
    // The journal keeps the intent, so that --resume completes a result that is not whole.
    if (!member->error && !member->files.is_whole()) {
      member->files.keep_rest();
      continue;
    }
    if (!member->error) continue;
    const std::lock_guard lock(writing_);
    for (Journal* journal : member->intended) journal->give_up(member->intent);
  }
}

void GroupCommit::write_intents(std::span<Member* const> group) {
  // The record comes first: what a journal lets --resume complete can be taken back.
  for (Journal& record : journals_->records()) {
    std::vector<Member*> members;
    std::ranges::copy_if(group, std::back_inserter(members),
                         [](const Member* member) { return !member->error; });
    write_intents(record, members);
  }
  std::map<Journal*, std::vector<Member*>> by_journal;
  for (Member* member : group)
    if (!member->error) by_journal[&journals_->of(member->intent.front().target)].push_back(member);
  for (const auto& [journal, members] : by_journal) write_intents(*journal, members);
}

void GroupCommit::write_intents(Journal& journal, std::span<Member* const> members) {
  std::vector<const Intent*> intents;
  for (const Member* member : members) intents.push_back(&member->intent);
  try {
    const std::lock_guard lock(writing_);
    journal.intend(intents);
    for (Member* member : members) member->intended.push_back(&journal);
  } catch (...) {
    for (Member* member : members) member->error = std::current_exception();
  }
}

void GroupCommit::add_done(const std::filesystem::path& file) {
  if (fsync_ != Fsync::end) return;
  const std::lock_guard lock(writing_);
  written_.add(file);
}

std::vector<std::string> GroupCommit::flush() const { return written_.flush(); }

}  // namespace qturn
