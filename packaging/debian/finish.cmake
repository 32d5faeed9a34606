# CPack runs this before it packs: what Debian's policy wants of files, and CPack does not do.
set(staged ${CPACK_TEMPORARY_INSTALL_DIRECTORY})
file(GLOB_RECURSE manuals ${staged}/*/usr/share/man/*.1)
execute_process(COMMAND gzip -9n ${manuals} COMMAND_ERROR_IS_FATAL ANY)
file(GLOB libraries ${staged}/*/usr/lib/qturn/*.so.*)
execute_process(COMMAND ${CPACK_STRIP} --strip-unneeded ${libraries} COMMAND_ERROR_IS_FATAL ANY)
file(GLOB empty ${staged}/*/usr/lib/qturn/pkgconfig)
file(REMOVE_RECURSE ${empty})
