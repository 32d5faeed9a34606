# Finds OpenImageIO by its files: the self-contained one of scripts/fetch-oiio has no package configuration.
find_path(OpenImageIO_INCLUDE_DIR OpenImageIO/imageio.h)
find_path(OpenImageIO_IMATH_INCLUDE_DIR ImathConfig.h PATH_SUFFIXES Imath)
find_library(OpenImageIO_LIBRARY NAMES OpenImageIO)
find_library(OpenImageIO_UTIL_LIBRARY NAMES OpenImageIO_Util)

if(OpenImageIO_INCLUDE_DIR)
  foreach(part MAJOR MINOR PATCH)
    file(STRINGS ${OpenImageIO_INCLUDE_DIR}/OpenImageIO/oiioversion.h OpenImageIO_${part}
      REGEX "^#define OIIO_VERSION_${part} +[0-9]+")
    string(REGEX REPLACE ".*_${part} +([0-9]+).*" "\\1" OpenImageIO_${part} "${OpenImageIO_${part}}")
  endforeach()
  set(OpenImageIO_VERSION ${OpenImageIO_MAJOR}.${OpenImageIO_MINOR}.${OpenImageIO_PATCH})
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(OpenImageIO
  REQUIRED_VARS OpenImageIO_LIBRARY OpenImageIO_UTIL_LIBRARY OpenImageIO_INCLUDE_DIR OpenImageIO_IMATH_INCLUDE_DIR
  VERSION_VAR OpenImageIO_VERSION
  REASON_FAILURE_MESSAGE "scripts/setup fetches it into build/deps/oiio. For another one, name its folder in CMAKE_PREFIX_PATH.")

if(OpenImageIO_FOUND AND NOT TARGET OpenImageIO::OpenImageIO)
  add_library(OpenImageIO::OpenImageIO UNKNOWN IMPORTED)
  set_target_properties(OpenImageIO::OpenImageIO PROPERTIES
    IMPORTED_LOCATION ${OpenImageIO_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES "${OpenImageIO_INCLUDE_DIR};${OpenImageIO_IMATH_INCLUDE_DIR}"
    INTERFACE_LINK_LIBRARIES ${OpenImageIO_UTIL_LIBRARY})
endif()
mark_as_advanced(OpenImageIO_INCLUDE_DIR OpenImageIO_IMATH_INCLUDE_DIR OpenImageIO_LIBRARY OpenImageIO_UTIL_LIBRARY)
