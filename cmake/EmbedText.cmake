# SPDX-License-Identifier: BSD-2-Clause
#
# cmake -DINPUT=file -DOUTPUT=file.c -DNAME=symbol -P EmbedText.cmake
# Makes a C file that defines NAME as the bytes of INPUT and a NUL.
file(READ ${INPUT} hex HEX)
string(REGEX REPLACE "(................................)" "\\1\n\t" hex "${hex}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," hex "${hex}")
file(WRITE ${OUTPUT}
  "extern const char ${NAME}[];\nconst char ${NAME}[] = {\n\t${hex}\n\t0\n};\n")
