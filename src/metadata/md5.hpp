// MD5 (RFC 1321), which names the extended XMP in a JPEG. It is not used for security.
#pragma once

#include <string>
#include <string_view>

namespace qturn {

/// The MD5 sum of `data` as 32 hexadecimal digits in capitals.
std::string md5(std::string_view data);

}  // namespace qturn
