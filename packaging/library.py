# SPDX-License-Identifier: MIT
"""What the project's own build says about the library: its version, its sources, its flags."""
import dataclasses
import pathlib
import re


@dataclasses.dataclass
class Library:
    version: str
    description: str
    homepage: str
    sources: list  # paths from the root, in the order of runtime/CMakeLists.txt
    bits_options: str  # one string, whose order counts
    gcc_options: list  # what gcc needs besides for equal bits
    archive_options: list  # what keeps the archive free of run-time support
    definitions: list

    def options(self, compiler):
        """Everything for one compiler, `gcc` or `clang`, as words."""
        words = self.bits_options.split()
        if compiler == "gcc":
            words += self.gcc_options
        return words + self.archive_options


def find(pattern, text, what):
    match = re.search(pattern, text, re.S)
    if not match:
        raise SystemExit(f"packaging/library.py: CMakeLists.txt no longer has {what} where it is looked for")
    return match.group(1)


def read_library(root: pathlib.Path) -> Library:
    build = (root / "CMakeLists.txt").read_text()
    rooms = (root / "runtime" / "CMakeLists.txt").read_text()
    project = find(r"\nproject\((heed .*?)\)\n", build, "project()")
    options = find(r"set\(heed_bits_options (.*?)\)\n\n", build, "heed_bits_options")
    archive = find(r"target_compile_options\(heed PRIVATE \$\{heed_bits_options\}(.*?)\)", build,
                   "the archive's options")
    definitions = find(r"target_compile_definitions\(heed PRIVATE (.*?)\)", build, "the definitions")
    return Library(
        version=find(r"VERSION (\d+\.\d+\.\d+)", project, "a version"),
        description=find(r'DESCRIPTION "(.*?)"', project, "a description"),
        homepage=find(r'HOMEPAGE_URL "(.*?)"', project, "a home page"),
        sources=["runtime/" + path for path in re.findall(r"^\s+(\w+/\w+\.cpp)", rooms, re.M)],
        bits_options=find(r'"SHELL:(.*?)"', options, "the options for equal bits"),
        gcc_options=re.findall(r"\$<\$<CXX_COMPILER_ID:GNU>:(-[^>]+)>", options),
        archive_options=archive.split(),
        definitions=definitions.split(),
    )


def read_releases(root: pathlib.Path):
    """[(version, date as year-month-day, the points as one line each)], the newest first, from CHANGELOG.md."""
    releases = []
    for line in (root / "CHANGELOG.md").read_text().splitlines():
        heading = re.match(r"## (\d+\.\d+\.\d+) \((\d{4}-\d\d-\d\d)\)$", line)
        if heading:
            releases.append((heading.group(1), heading.group(2), []))
        elif line.startswith("- ") and releases:
            releases[-1][2].append(line[2:])
        elif line.startswith("  ") and releases:
            releases[-1][2][-1] += " " + line.strip()
    return releases
