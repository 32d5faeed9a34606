#ifndef QTURN_TESTS_OPENCV_PRELOAD_FAULT_HPP
#define QTURN_TESTS_OPENCV_PRELOAD_FAULT_HPP

/// Enqueues a kernel on the default stream that works for a second, then fails; what is enqueued
/// after it is accepted, and the next synchronisation reports the failure.
void fail_later();

#endif  // QTURN_TESTS_OPENCV_PRELOAD_FAULT_HPP
