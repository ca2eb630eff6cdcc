# cmake -D NM=<nm> -D ARCHIVES=<archives of models/> -D OUTPUT=<file> -P: writes what they define of namespace servecast
# as a list for the linker's --dynamic-list.
cmake_policy(SET CMP0007 NEW)  # empty elements of lists count
execute_process(COMMAND ${NM} --defined-only --extern-only --format=just-symbols ${ARCHIVES}
                OUTPUT_VARIABLE names COMMAND_ERROR_IS_FATAL ANY)
string(REPLACE "\n" ";" names "${names}")
list(FILTER names INCLUDE REGEX "^_Z.*9servecast")
list(SORT names)
list(REMOVE_DUPLICATES names)
list(JOIN names ";\n  " lines)
file(WRITE ${OUTPUT} "{\n  ${lines};\n};\n")
