# SPDX-License-Identifier: MIT
#
# PlatformIO runs this for the library. The port follows from what the board's compiler says of its target, because no
# name of a board or of its processor tells whether it has floats. The program's own sources become C++20, for heed.hpp,
# if they are older.
import pathlib
import re
import subprocess

Import("env", "projenv")

root = pathlib.Path.cwd().parent.parent
QUESTION = f"""
#include "{root.as_posix()}/ports/fitting_port.hpp"
port=HEED_FITTING_PORT
standard=__cplusplus
"""


def ask(sources):
    """{name: answer} from the compiler of these sources, with the flags that name their processor and their language."""
    words = [str(word) for word in sources.subst_list("$CXX $CXXFLAGS $CCFLAGS")[0]]
    words = words[:1] + [word for word in words[1:] if re.match(r"-m|-std=|--target=|@", word)]
    words[0] = sources.WhereIs(words[0]) or words[0]
    answer = subprocess.run(words + ["-E", "-P", "-x", "c++", "-"], input=QUESTION, stdout=subprocess.PIPE,
                            universal_newlines=True, check=True).stdout
    return dict(re.findall(r'(\w+)="?(\w+)', answer))


port = ask(env)["port"]
if port != "none":
    inherits = re.search(r"set\(heed_port_inherits (.*)\)", (root / "ports" / port / "port.cmake").read_text())
    folders = [port] + (inherits.group(1).split() if inherits else [])
    env.Prepend(CPPPATH=[str(root / "ports" / folder) for folder in folders])
    if int(re.match(r"\d+", ask(projenv)["standard"]).group()) < 202002:
        projenv.Append(CXXFLAGS=["-std=gnu++20"])
else:
    # No error, because the script runs for programs, too, that have the library beside them and do not use it.
    print("heed: it has no port for this board, which is no Cortex-M, no RISC-V of 32 bits that "
          "multiplies, and no other CPU with a fused multiply-add")
