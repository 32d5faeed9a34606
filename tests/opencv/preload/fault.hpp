#pragma once

/// Enqueues a kernel on the default stream that works for a second, then fails; what is enqueued
/// after it is accepted, and the next synchronisation reports the failure.
void fail_later();
