# SPDX-License-Identifier: MIT
"""manual.py <heed>: see manual.sh."""
import pathlib
import re
import subprocess
import sys
import textwrap

import library

column = 36  # where the command's help puts what an option means
program = sys.argv[1]
root = pathlib.Path(__file__).resolve().parent.parent


def help_of(*command):
    return subprocess.run([program, *command, "--help"], check=True, capture_output=True, text=True).stdout


def escape(text):
    return text.replace("\\", "\\e").replace("-", "\\-")


def prose(text):
    """Lines that a reader of the source can take, none of which begins like a request."""
    lines = textwrap.wrap(escape(text), 78, break_long_words=False, break_on_hyphens=False)
    return "".join(("\\&" if line[0] in ".'" else "") + line + "\n" for line in lines)


def entries(lines):
    """[(name, meaning)] of one section; a long name has its meaning in the next line."""
    found = []
    for line in lines:
        if line.startswith(" " * column):
            found[-1][1].append(line.strip())
        elif len(line) > column and line[column - 1] == " ":
            found.append((line[:column].strip(), [line[column:].strip()]))
        else:
            found.append((line.strip(), []))
    return [(name, " ".join(meaning)) for name, meaning in found]


def sections(text):
    """{heading: its entries} of a help text, beside its first line and its usage."""
    paragraphs = [paragraph.splitlines() for paragraph in text.strip().split("\n\n")]
    return {lines[0].rstrip(":"): entries(lines[1:]) for lines in paragraphs if lines[0].endswith(":")}


def tagged(name, meaning):
    """A name in bold up to its argument, which the help writes behind a space."""
    words = name.replace("-h,--help", "-h, --help").replace(", ", ",").split(" ", 1)
    tag = "\\fB" + escape(words[0]) + "\\fR" + (" " + escape(words[1]) if len(words) > 1 else "")
    return f".TP\n{tag}\n{prose(meaning)}"


def command_page(name, meaning):
    text = help_of(name)
    usage = re.search(r"^Usage: heed (.*)$", text, re.M).group(1)
    page = f".SS heed {escape(usage)}\n" + prose(meaning[0].upper() + meaning[1:] + ".")
    for heading, found in sections(text).items():
        if heading == "Example":
            page += f".PP\nExample:\n.PP\n.nf\n{escape(found[0][0])}\n.fi\n"
            continue
        if heading in ("Options", "Positionals"):
            found = [entry for entry in found if not entry[0].startswith("-h,")]
        else:
            page += f".PP\n{escape(heading)}:\n"
        page += "".join(tagged(*entry) for entry in found)
    return page


def main():
    text = help_of()
    version, date, _ = library.read_releases(root)[0]
    parts = sections(text)
    title = text.splitlines()[0].removeprefix("heed: ").split(",")[0]
    page = f""".\\" SPDX-License-Identifier: MIT
.\\" Written by packaging/manual.sh.
.TH HEED 1 {date} "heed {version}" "User Commands"
.SH NAME
heed \\- {escape(title)}
.SH SYNOPSIS
.B heed
.I command
.RI [ option ...]
.SH DESCRIPTION
Packs trained weights for firmware, plans memory before flashing, and runs
attention, layers and whole transformers on files with the bits that the board
will have.
Every command has
.BR \\-\\-help .
.SH OPTIONS
"""
    page += "".join(tagged(*entry) for entry in parts["Options"])
    page += ".SH COMMANDS\n" + "".join(command_page(*entry) for entry in parts["Subcommands"])
    page += """.SH EXIT STATUS
0 if the command did what it was asked; 1 if
.B heed compare
finds a difference; 2 after an error, which is one line on standard error, and
without a command.
A signal that ends it ends it as usual.
No output file is left half\\-written.
"""
    print(page, end="")


main()
