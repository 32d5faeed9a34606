# Finds libwebp by its files: packages bring a configuration for CMake only where libwebp was built with CMake.
find_path(WebP_INCLUDE_DIR webp/encode.h)
find_library(WebP_LIBRARY NAMES webp)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(WebP REQUIRED_VARS WebP_LIBRARY WebP_INCLUDE_DIR)

if(WebP_FOUND AND NOT TARGET WebP::webp)
  add_library(WebP::webp UNKNOWN IMPORTED)
  set_target_properties(WebP::webp PROPERTIES
    IMPORTED_LOCATION ${WebP_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${WebP_INCLUDE_DIR})
endif()
mark_as_advanced(WebP_INCLUDE_DIR WebP_LIBRARY)
