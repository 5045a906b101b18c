# SPDX-License-Identifier: MIT
"""check_manifests.py <source folder> <build folder>: see check_manifests.sh.

Knows nothing of how the manifests are made: looks for what the compiler was given in each of them."""
import json
import pathlib
import re
import shlex
import sys

source, build = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
manifests = ["packaging/zephyr/CMakeLists.txt", "packaging/esp-idf/CMakeLists.txt", "library.json",
             "packaging/cmsis-pack/heed.heed.pdsc"]
failed = False


def fail(text):
    global failed
    failed = True
    print(text)


def compiled():
    """{source from the root: its words on the command line} for the library."""
    found = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        path = pathlib.Path(entry["file"])
        if path.is_relative_to(source / "runtime") and "CMakeFiles/heed.dir" in entry.get("output", entry["command"]):
            found[str(path.relative_to(source))] = shlex.split(entry["command"])
    return found


def is_ours(word):
    """What the project gives whatever the target, the port and the build type are: no warning, path or processor."""
    return word.startswith(("-f", "-std=", "-D")) and word not in ("-DNDEBUG",) and not word.startswith("-ffile-prefix")


commands = compiled()
words = [word for word in next(iter(commands.values())) if is_ours(word)]
if len(commands) < 50 or "-ffp-contract=off" not in words:
    fail(f"compile_commands.json has {len(commands)} sources of the library, and {words}")

for name in manifests:
    text = (source / name).read_text()
    if name.endswith("json"):
        named = ["runtime/" + path for path in re.findall(r"\+<([\w/]+\.cpp)>", text)]
    else:
        named = re.findall(r"runtime/\w+/\w+\.cpp", text)
    for path in sorted(set(commands) - set(named)):
        fail(f"{name} does not name {path}")
    for path in sorted(set(named) - set(commands)):
        fail(f"{name} names {path}, which the build does not compile")
    if len(named) != len(set(named)):
        fail(f"{name} names a source twice")
    if name.endswith("pdsc"):
        text = (source / "packaging/cmsis-pack/layer/heed.clayer.yml").read_text().replace(": heed_", "=heed_")
    if re.search(r"-m(cpu|arch|tune|fpu|abi|float-abi|thumb)\b", text):
        fail(f"{name} gives options for a processor, which are the board's")
    position = 0
    given = [word for word in words if word[:2] == "-f"]
    if name.endswith("pdsc"):
        given = list(dict.fromkeys(reversed(given)))[::-1]
    for word in given:
        match = re.compile(rf"(?<![\w-]){re.escape(word)}(?![\w-])").search(text, position)
        if not match:
            fail(f"{name} does not give {word} in the order of the build")
            continue
        position = match.end()
    for word in (word.removeprefix("-D") for word in words if word[:2] in ("-s", "-D")):
        if word not in text:
            fail(f"{name} does not give {word}")

print(f"{len(manifests)} manifests, {len(commands)} sources, {len(words)} options")
sys.exit(failed)
