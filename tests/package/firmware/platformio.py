# SPDX-License-Identifier: MIT
"""platformio.py <script> <compiler> <flag>...: runs the script of a library as PlatformIO does, in the script's folder,
with the environments of the library and of the program, and prints the folders that it puts before the library's
others. It must leave a program C++20 or what is newer, and must not choose for a processor."""
import os
import pathlib
import sys

script = pathlib.Path(sys.argv[1])


class Environment:
    """What SCons gives, as far as the script asks for it."""

    def __init__(self, *flags):
        self.CXX = sys.argv[2]
        self.CXXFLAGS = list(flags)
        self.CCFLAGS = sys.argv[3:] + ["-MMD", "-Os"]
        self.CPPPATH = []

    def subst_list(self, text):
        assert text == "$CXX $CXXFLAGS $CCFLAGS"
        return [[self.CXX] + self.CXXFLAGS + self.CCFLAGS]

    def WhereIs(self, program):
        return None if os.sep not in program else program

    def Prepend(self, CPPPATH):
        self.CPPPATH = CPPPATH + self.CPPPATH

    def Append(self, CXXFLAGS):
        self.CXXFLAGS += CXXFLAGS


def run(standard):
    """The library's environment and the program's, which was for a C++ standard."""
    environments = {"env": Environment("-std=gnu++17"), "projenv": Environment("-std=" + standard)}
    names = {"Import": lambda *wanted: names.update({name: environments[name] for name in wanted})}
    exec(compile(script.read_text(), script, "exec"), names)
    return environments["env"], environments["projenv"]


os.chdir(script.parent)
for old, new in (("gnu++17", ["-std=gnu++17", "-std=gnu++20"]), ("c++20", ["-std=c++20"]), ("gnu++23", ["-std=gnu++23"])):
    library, program = run(old)
    assert program.CXXFLAGS == new and not program.CPPPATH, (old, program.CXXFLAGS)
    assert library.CCFLAGS == program.CCFLAGS == Environment().CCFLAGS
print("\n".join(library.CPPPATH))
