# SPDX-License-Identifier: BSD-2-Clause
"""readme.py README KSIMD FOLDER INPUT...: runs the commands of the README's
console block in FOLDER, beside copies of the inputs, and compares."""
import os
import re
import shutil
import subprocess
import sys

readme, ksimd, folder, inputs = (sys.argv[1], sys.argv[2], sys.argv[3],
                                 sys.argv[4:])
with open(readme, encoding="utf-8") as f:
    text = f.read()
block = re.search(r"^```\n(\$ .*?)^```$", text, re.M | re.S).group(1)
for name in inputs:
    shutil.copy(name, folder)
env = dict(os.environ, PATH=os.path.dirname(ksimd) + os.pathsep +
           os.environ["PATH"])
env.pop("KSIMD_PROFILES", None)
got = ""
for command in re.findall(r"^\$ ((?:.*\\\n)*.*\n)", block, re.M):
    got += "$ " + command
    result = subprocess.run(command, shell=True, cwd=folder, env=env,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            text=True)
    got += result.stdout
if got != block:
    print("the README says:\n%s\nbut it is:\n%s" % (block, got))
    sys.exit(1)

# The program in it is the one that was compiled.
program = re.search(r"^```c\n(.*?)^```$", text, re.M | re.S).group(1)


def squeeze(code):
    return re.sub(r"\s+", "", code).replace("FPU_KERN_NORMAL", "0")


with open(inputs[0], encoding="utf-8") as f:
    if squeeze(program) not in squeeze(f.read()):
        print("the README's program is not in " + inputs[0])
        sys.exit(1)
