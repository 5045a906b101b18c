# SPDX-License-Identifier: MIT
"""The module has the C headers' declarations, all of them, as the compiler lays them out; the library exports these
names and no others."""
import ctypes
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import heed
from surroundings import SOURCE

GENERATOR = SOURCE / "packaging" / "python" / "generate.py"
HEADERS = SOURCE / "include" / "heed"
d = heed.declarations


def plain_declarations():
    """Names with a parenthesis after them, found in another way than the generator's."""
    names = set()
    for header in HEADERS.glob("heed_*.h"):
        text = re.sub(r"/\*.*?\*/", " ", header.read_text(), flags=re.S)
        text = re.sub(r"static inline.*?\n}", " ", text, flags=re.S)
        text = re.sub(r"#\s*define.*?[^\\]\n", " ", text, flags=re.S)
        names |= set(re.findall(r"\b(heed_\w+)\s*\(", text))
    return names


class Declarations(unittest.TestCase):
    def test_every_function_is_bound(self):
        names = plain_declarations()
        self.assertGreater(len(names), 70)
        self.assertEqual(set(d.FUNCTIONS), names)
        for name in names:
            self.assertIsNotNone(getattr(heed.c, name).argtypes)

    def test_layouts_are_the_compilers(self):
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder) / "layout"
            run = [sys.executable, "-B", GENERATOR, "layout", HEADERS, f"{program}.c"]
            subprocess.run(run, check=True)
            subprocess.run([os.environ["HEED_C_COMPILER"], f"-I{HEADERS.parent}", f"{program}.c", "-o", program],
                           check=True)
            lines = subprocess.run([program], check=True, capture_output=True, text=True).stdout.splitlines()
        values = dict(d.CONSTANTS)
        for kind, _, names in d.ENUMERATIONS.values():
            values.update(zip(names, kind))
        seen = {"struct": 0, "member": 0, "enum": 0, "value": 0}
        for line in lines:
            what, name, *rest = line.split()
            seen[what] += 1
            if what == "struct":
                self.assertEqual(ctypes.sizeof(d.STRUCTS[name]), int(rest[0]), line)
            elif what == "member":
                member = getattr(d.STRUCTS[name], rest[0])
                self.assertEqual((member.offset, member.size), (int(rest[1]), int(rest[2])), line)
            elif what == "enum":
                self.assertEqual(ctypes.sizeof(d.ENUMERATIONS[name][1]), int(rest[0]), line)
            else:
                self.assertEqual(values[name], int(rest[0]), line)
        self.assertEqual(seen["struct"], len(d.STRUCTS))
        self.assertEqual(seen["member"], sum(len(one._fields_) for one in d.STRUCTS.values()))
        self.assertEqual(seen["enum"], len(d.ENUMERATIONS))
        self.assertEqual(seen["value"], sum(not isinstance(value, str) for value in values.values()))

    def test_library_exports_the_interface(self):
        library = os.environ["HEED_LIBRARY_PATH"]
        listed = subprocess.run(["nm", "-D", "--defined-only", library], check=True, capture_output=True, text=True)
        exported = [line.split()[-1].split("@")[0] for line in listed.stdout.splitlines() if " A " not in line]
        self.assertEqual(sorted(exported), sorted([*plain_declarations(), *d.OBJECTS]))
        for header in HEADERS.glob("heed_*.h"):
            for name in re.findall(r"^extern const \w+ (\w+);", header.read_text(), re.M):
                self.assertIn(name, heed._library.addresses)

    def test_a_program_in_c_links_it(self):
        library = pathlib.Path(os.environ["HEED_LIBRARY_PATH"])
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder) / "plain"
            subprocess.run([os.environ["HEED_C_COMPILER"], f"-I{HEADERS.parent}", SOURCE / "tests/consumer/plain.c",
                            f"-L{library.parent}", "-lheed_c", f"-Wl,-rpath,{library.parent}", "-o", program],
                           check=True)
            subprocess.run([program], check=True, capture_output=True)

    def test_library_needs_libc_alone(self):
        dynamic = subprocess.run(["readelf", "-dW", os.environ["HEED_LIBRARY_PATH"]], check=True, capture_output=True,
                                 text=True).stdout
        needed = re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic)
        self.assertLessEqual(set(needed), {"libc.so.6", "libgcc_s.so.1"})
        self.assertEqual(re.findall(r"\(SONAME\).*\[(.*)\]", dynamic),
                         ["libheed_c.so." + ".".join(heed.version.split(".")[:2])])


if __name__ == "__main__":
    unittest.main()
