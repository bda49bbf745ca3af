# SPDX-License-Identifier: BSD-2-Clause
#
# split-btf.py BASE OUT: writes split BTF on top of BASE, as a module has it
# that uses BASE's types: its functions, and no variables.
import struct
import sys

base = open(sys.argv[1], "rb").read()
hdr, toff, tlen, soff, slen = struct.unpack_from("<5I", base, 4)
types = base[hdr + toff:hdr + toff + tlen]
strings = base[hdr + soff:hdr + soff + slen]
TAIL = {1: (4, 0), 3: (12, 0), 4: (0, 12), 5: (0, 12), 6: (0, 8), 13: (0, 8),
        14: (4, 0), 15: (0, 12), 17: (4, 0), 19: (0, 12)}
FUNC = 12
functions = []
at = 0
while at < len(types):
    name, info, last = struct.unpack_from("<3I", types, at)
    kind, vlen = info >> 24 & 0x1f, info & 0xffff
    if kind == FUNC and name != 0:
        functions.append((strings[name:strings.index(b"\0", name)], vlen,
                          last))
    fixed, each = TAIL.get(kind, (0, 0))
    at += 12 + fixed + each * vlen

text = b""
out = b""
for name, linkage, proto in functions:
    out += struct.pack("<3I", slen + len(text), FUNC << 24 | linkage, proto)
    text += name + b"\0"
with open(sys.argv[2], "wb") as f:
    f.write(struct.pack("<HBB5I", 0xeb9f, 1, 0, 24, 0, len(out), len(out),
                        len(text)) + out + text)
