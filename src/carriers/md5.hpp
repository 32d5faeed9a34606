// MD5 (RFC 1321), which extended XMP in a JPEG is named after. No safety is expected of it.
#ifndef QTURN_SRC_CARRIERS_MD5_HPP
#define QTURN_SRC_CARRIERS_MD5_HPP

#include <string>
#include <string_view>

namespace qturn {

/// As 32 digits, in capitals.
std::string md5(std::string_view data);

}  // namespace qturn

#endif  // QTURN_SRC_CARRIERS_MD5_HPP
