/* The version of these headers, for the preprocessor of C and C++. */
#ifndef QTURN_VERSION_H
#define QTURN_VERSION_H

#define QTURN_VERSION_MAJOR 0
#define QTURN_VERSION_MINOR 1
#define QTURN_VERSION_PATCH 0

/** 1 where the headers are of this version or a later one. */
#define QTURN_VERSION_AT_LEAST(major, minor, patch)     \
  (QTURN_VERSION_MAJOR > (major) ||                     \
   (QTURN_VERSION_MAJOR == (major) &&                   \
    (QTURN_VERSION_MINOR > (minor) ||                   \
     (QTURN_VERSION_MINOR == (minor) && QTURN_VERSION_PATCH >= (patch)))))

#endif
