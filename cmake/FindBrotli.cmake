# Finds libbrotli's decoder by its files: it brings no configuration for CMake.
find_path(Brotli_INCLUDE_DIR brotli/decode.h)
find_library(Brotli_LIBRARY NAMES brotlidec)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Brotli REQUIRED_VARS Brotli_LIBRARY Brotli_INCLUDE_DIR)

if(Brotli_FOUND AND NOT TARGET Brotli::decoder)
  add_library(Brotli::decoder UNKNOWN IMPORTED)
  set_target_properties(Brotli::decoder PROPERTIES
    IMPORTED_LOCATION ${Brotli_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${Brotli_INCLUDE_DIR})
endif()
mark_as_advanced(Brotli_INCLUDE_DIR Brotli_LIBRARY)
