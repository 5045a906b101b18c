# SPDX-License-Identifier: MIT
"""check_releases.py <source folder>: see check_releases.sh."""
import pathlib
import re
import subprocess
import sys

source = pathlib.Path(sys.argv[1]).resolve()
failed = False


def fail(text):
    global failed
    failed = True
    print(text)


def constants(text):
    """The pairs (name, value) of the golden hashes that a test has in its source; of an array one for each element."""
    found = set()
    for name, values in re.findall(r"\b(golden_\w+)(?:\[\])?\s*=\s*(\{[^}]*\}|0x\w+)", text):
        found |= {(name, value) for value in re.findall(r"0x([0-9A-F]{16})U", values)}
    return found


def git(*arguments):
    """What git prints, or nothing: there may be no git, and no history."""
    try:
        done = subprocess.run(["git", "-C", str(source), *arguments], capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return ""
    return done.stdout if done.returncode == 0 else ""


def present():
    return set().union(*(constants(path.read_text()) for path in (source / "tests").rglob("*.[ch]pp")))


def committed(commit):
    files = git("grep", "-l", "golden_", commit, "--", "tests/*.cpp", "tests/*.hpp").split()
    return set().union(*(constants(git("show", file)) for file in files))


def number(version):
    return tuple(map(int, version.split(".")))


page = (source / "RELEASES.md").read_text()
releases = re.findall(r"^\| (\d+\.\d+\.\d+) \| \S+ \| `?([^|`]*)`? \|$", page, re.M)
rows = re.findall(r"^\| `(golden_\w+)` \| `([^`]*)` \| (\d+\.\d+\.\d+) \| `([0-9A-F]{16})` \|$", page, re.M)
project = re.search(r"^project\(heed VERSION ([0-9.]+) ", (source / "CMakeLists.txt").read_text(), re.M)[1]
if len(releases) < 5 or len(rows) < 40:
    sys.exit(f"RELEASES.md has {len(releases)} releases and {len(rows)} hashes")
if releases[-1][0] != project:
    fail(f"the last release of RELEASES.md is {releases[-1][0]}, the project's version {project}")

for name, file, since, value in rows:
    if (name, value) not in constants((source / file).read_text()):
        fail(f"{name} of {since}: {file} has not {value}")

compared = 0
# Not the history of a project that this folder lies in.
has_history = git("rev-parse", "--show-prefix") == "\n"
for version, commit in releases:
    stated = {(name, value) for name, _, since, value in rows if number(since) <= number(version)}
    if has_history and not re.fullmatch(r"[0-9a-f]{40}", commit):
        # A commit cannot state itself.
        commit = (git("log", "--reverse", "--format=%H", f"-Sheed VERSION {version} ", "--", "CMakeLists.txt").split() + [""])[0]
        if commit == "":
            print(f"{version}: no commit sets it yet; these files stand for it")
            if stated != present():
                fail(f"{version}: these files have other hashes: {sorted(stated ^ present())}")
            continue
    if not has_history or not git("cat-file", "-t", commit):
        print(f"{version}: its commit is not here")
        continue
    compared += 1
    if f"project(heed VERSION {version} " not in git("show", f"{commit}:CMakeLists.txt"):
        fail(f"{version}: {commit} is of another version")
    if stated != committed(commit):
        fail(f"{version}: {commit} has other hashes: {sorted(stated ^ committed(commit))}")

later = present() - {(name, value) for name, _, _, value in rows}
print(f"{len(rows)} hashes as released, {len(later)} later ones, {compared} of {len(releases)} commits compared")
sys.exit(failed)
