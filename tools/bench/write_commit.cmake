# Writes `file`, if it changes, with the commit of `source` and whether it was changed since; a release
# archive has none, but a `version`.
execute_process(COMMAND git -C ${source} describe --always --dirty --exclude=*
  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE no_commit)
if(no_commit)
  set(commit ${version})
endif()
file(CONFIGURE OUTPUT ${file} CONTENT "inline constexpr const char* commit_of_build = \"${commit}\";\n")
