# SPDX-License-Identifier: MIT
"""generate.py [folder]: see generate.sh."""
import json
import pathlib
import re
import sys

import firmware_manifests
import library

root = pathlib.Path(__file__).resolve().parent.parent


def version_header(lib):
    """The header with the numbers of CMakeLists.txt, all else as it is."""
    text = (root / "include/heed/heed_types.h").read_text()
    for name, number in zip(("MAJOR", "MINOR", "PATCH"), lib.version.split(".")):
        text = re.sub(rf"(#define HEED_VERSION_{name}) \d+", rf"\1 {number}", text)
    return re.sub(r'(#define HEED_VERSION) ".*"', rf'\1 "{lib.version}"', text)


def packaging_page(lib):
    """The page with the names of packages as they are now, all else as it is."""
    text = (root / "docs/packaging.md").read_text()
    return re.sub(r"\b((?:lib)?heed(?:-|_|-dev_|\.heed\.))\d+\.\d+\.\d+", rf"\g<1>{lib.version}", text)


def debian_changelog(releases):
    """In the form of Debian; the points stay in CHANGELOG.md."""
    import datetime

    entries = []
    for version, date, _ in releases:
        day = datetime.date.fromisoformat(date)
        weekday = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")[day.weekday()]
        month = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()[day.month - 1]
        entries.append(
            f"heed ({version}) unstable; urgency=medium\n\n  * Release {version}; CHANGELOG.md has what it brings.\n\n"
            f" -- {firmware_manifests.authors} <{firmware_manifests.address}>  "
            f"{weekday}, {day.day:02} {month} {day.year} 12:00:00 +0000\n")
    return "\n".join(entries)


def main():
    to = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else root
    lib = library.read_library(root)
    releases = library.read_releases(root)
    if not releases or releases[0][0] != lib.version:
        raise SystemExit(f"generate.py: CHANGELOG.md does not begin with {lib.version}")
    files = {
        "include/heed/heed_types.h": version_header(lib),
        "docs/packaging.md": packaging_page(lib),
        "packaging/debian/changelog": debian_changelog(releases),
        "packaging/zephyr/CMakeLists.txt": firmware_manifests.zephyr(lib),
        "packaging/esp-idf/CMakeLists.txt": firmware_manifests.esp_idf(lib),
        "packaging/esp-idf/idf_component.yml": firmware_manifests.esp_idf_manifest(lib),
        "library.json": json.dumps(firmware_manifests.platformio(lib), indent=2) + "\n",
        "packaging/arduino/library.properties": firmware_manifests.arduino(lib),
        "packaging/cmsis-pack/heed.heed.pdsc": firmware_manifests.cmsis_pack(lib, releases),
        "packaging/cmsis-pack/layer/heed.clayer.yml": firmware_manifests.cmsis_layer(lib),
    }
    for path, text in files.items():
        (to / path).parent.mkdir(parents=True, exist_ok=True)
        (to / path).write_text(text)


main()
