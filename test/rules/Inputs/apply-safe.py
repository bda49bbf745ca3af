# SPDX-License-Identifier: BSD-2-Clause
"""Writes that fail, and a process that dies: ksimd rules apply.

usage: apply-safe.py KSIMD FOLDER
"""
import os
import resource
import signal
import subprocess
import sys
import time

ksimd = sys.argv[1]
os.chdir(sys.argv[2])
LIST = "sys/conf/files.amd64"
COMMAND = [ksimd, "rules", "apply", "files.simd", LIST]
with open(LIST) as f:
    OLD = f.read()
# A list that takes more than one write.
OLD += "".join("dev/d%05d/x.c\toptional d%05d\n" % (i, i)
               for i in range(100000))


def reset():
    with open(LIST, "w") as f:
        f.write(OLD)


def content():
    with open(LIST) as f:
        return f.read()


def run(**kwargs):
    return subprocess.run(COMMAND, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=60,
                          **kwargs)


def limit():
    # A file of one megabyte is what the disk holds.
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))


reset()
result = run(preexec_fn=limit)
assert result.returncode == 2, result
assert result.stderr.startswith("ksimd: error: "), result.stderr
assert LIST in result.stderr, result.stderr
assert content() == OLD
assert os.listdir("sys/conf") == ["files.amd64"], os.listdir("sys/conf")
print("full disk: status 2, old list whole")

NEW = None
for delay in range(0, 40):
    reset()
    child = subprocess.Popen(COMMAND, stdout=subprocess.DEVNULL)
    time.sleep(delay / 400)
    child.kill()
    child.wait()
    now = content()
    assert now == OLD or ("aesni_wrap2.o" in now and
                          now.endswith(OLD[-1000:])), delay
    for name in os.listdir("sys/conf"):
        if name != "files.amd64":
            os.unlink(os.path.join("sys/conf", name))
print("killed: old list whole or new list whole")

reset()
if os.geteuid() == 0:           # root may write anywhere
    os.rename("sys/conf", "sys/real")
    os.mkdir("sys/conf")
    os.symlink("/proc/self/none/files.amd64", "sys/conf/files.amd64")
    result = run()
    assert result.returncode == 2, result
    os.unlink("sys/conf/files.amd64")
    os.rmdir("sys/conf")
    os.rename("sys/real", "sys/conf")
else:
    os.chmod("sys/conf", 0o555)
    result = run()
    os.chmod("sys/conf", 0o755)
    assert result.returncode == 2, result
assert content() == OLD
print("read-only folder: status 2, old list whole")

os.chmod(LIST, 0o640)
result = run()
assert result.returncode == 0, result
assert os.stat(LIST).st_mode & 0o777 == 0o640
assert "aesni_wrap2.o" in content()
print("mode kept")
