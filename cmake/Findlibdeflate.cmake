# Finds libdeflate by its files: packages before 1.15 bring no configuration for CMake.
find_path(libdeflate_INCLUDE_DIR libdeflate.h)
find_library(libdeflate_LIBRARY NAMES deflate)

if(libdeflate_INCLUDE_DIR)
  file(STRINGS ${libdeflate_INCLUDE_DIR}/libdeflate.h libdeflate_VERSION REGEX "^#define LIBDEFLATE_VERSION_STRING")
  string(REGEX REPLACE ".*\"(.*)\"" "\\1" libdeflate_VERSION "${libdeflate_VERSION}")
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(libdeflate
  REQUIRED_VARS libdeflate_LIBRARY libdeflate_INCLUDE_DIR VERSION_VAR libdeflate_VERSION)

if(libdeflate_FOUND AND NOT TARGET libdeflate::libdeflate)
  add_library(libdeflate::libdeflate UNKNOWN IMPORTED)
  set_target_properties(libdeflate::libdeflate PROPERTIES
    IMPORTED_LOCATION ${libdeflate_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${libdeflate_INCLUDE_DIR})
endif()
mark_as_advanced(libdeflate_INCLUDE_DIR libdeflate_LIBRARY)
