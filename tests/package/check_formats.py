# SPDX-License-Identifier: MIT
"""check_formats.py <source folder>: the manifests are as the managers document their formats. The facts are of the
Arduino library specification 2, PlatformIO's page on library.json, the component manager's page on idf_component.yml,
PACK.xsd 1.7 of Open-CMSIS-Pack, the schema of a .clayer.yml of CMSIS-Toolbox, and Zephyr's pages on module.yml and
sample.yaml."""
import json
import pathlib
import re
import sys
import xml.etree.ElementTree as xml

packaging = pathlib.Path(sys.argv[1]) / "packaging"
failures = []


def check(holds, what):
    if not holds:
        failures.append(what)


def is_version(text):
    return re.fullmatch(r"\d+\.\d+\.\d+", text) is not None


def keys_of(text, indent=""):
    """The keys of a YAML mapping at an indentation."""
    return re.findall(rf"^{indent}([\w-]+):", text, re.M)


def arduino():
    text = (packaging / "arduino/library.properties").read_text()
    fields = dict(line.split("=", 1) for line in text.splitlines())
    for name in ("name", "version", "author", "maintainer", "sentence", "paragraph", "category", "url",
                 "architectures"):
        check(fields.pop(name, ""), f"library.properties has no {name}")
    check(set(fields) <= {"depends", "dot_a_linkage", "includes", "precompiled", "ldflags"},
          f"library.properties: unknown: {sorted(fields)}")
    fields = dict(line.split("=", 1) for line in text.splitlines())
    check(re.fullmatch(r"[A-Za-z0-9][\w .-]{0,62}", fields["name"]), "library.properties: a name")
    check(is_version(fields["version"]), "library.properties: a version")
    check(re.fullmatch(r"[^<>]+ <[^@<>]+@[^@<>]+>", fields["maintainer"]), "library.properties: a maintainer")
    check(fields["category"] in ("Display", "Communication", "Signal Input/Output", "Sensors", "Device Control",
                                 "Timing", "Data Storage", "Data Processing", "Other"),
          "library.properties: a category")
    check(fields["precompiled"] in ("true", "full"), "library.properties: precompiled")
    check(not re.search(r"arduino", fields["sentence"] + fields["name"], re.I), "library.properties names Arduino")


def platformio():
    manifest = json.loads((packaging.parent / "library.json").read_text())
    documented = {"name", "version", "description", "keywords", "homepage", "repository", "authors", "license",
                  "frameworks", "platforms", "headers", "examples", "dependencies", "export", "scripts", "build"}
    check(set(manifest) <= documented, f"library.json: unknown: {sorted(set(manifest) - documented)}")
    documented = {"flags", "unflags", "includeDir", "srcDir", "srcFilter", "extraScript", "libArchive", "libLDFMode",
                  "libCompatMode", "builder"}
    check(set(manifest["build"]) <= documented, "library.json: unknown in build")
    check(is_version(manifest["version"]), "library.json: a version")
    check(1 <= len(manifest["name"]) <= 100 and not re.search(r"[:;/,@<>]", manifest["name"]), "library.json: a name")
    check(all(re.fullmatch(r"[a-z\d\-_+.]{1,50}", word) for word in manifest["keywords"]), "library.json: a keyword")
    check(len(manifest["description"]) <= 255, "library.json: a description")


def esp_idf():
    text = (packaging / "esp-idf/idf_component.yml").read_text()
    documented = {"name", "version", "targets", "maintainers", "description", "license", "tags", "dependencies",
                  "files", "examples", "url", "repository", "documentation", "issues", "discussion", "repository_info"}
    check(set(keys_of(text)) <= documented, f"idf_component.yml: unknown: {sorted(set(keys_of(text)) - documented)}")
    check(is_version(re.search(r'^version: "(.*)"', text, re.M).group(1)), "idf_component.yml: a version")
    targets = re.findall(r"^  - (\w+)$", text, re.M)
    check(targets and all(re.fullmatch(r"esp32([chps]\d)?", target) for target in targets),
          "idf_component.yml: targets")
    check(re.search(r'^dependencies:\n  idf: "[<>=~!^]*\d+\.\d+"$', text, re.M), "idf_component.yml: idf's version")


def cmsis_pack():
    package = xml.parse(packaging / "cmsis-pack/heed.heed.pdsc").getroot()
    order = [child.tag for child in package]
    check(order == ["vendor", "name", "description", "url", "license", "releases", "conditions", "components",
                    "csolution"], f"heed.heed.pdsc: {order}")
    check(package.find("url").text.endswith("/"), "heed.heed.pdsc: a url of a folder")
    releases = package.findall("releases/release")
    check(all(is_version(release.get("version")) for release in releases), "heed.heed.pdsc: a version")
    dates = [release.get("date") for release in releases]
    check(dates == sorted(dates, reverse=True), "heed.heed.pdsc: the newest release first")
    defined = {condition.get("id") for condition in package.findall("conditions/condition")}
    used = {element.get("condition") for element in package.iter() if element.get("condition")}
    check(used <= defined, f"heed.heed.pdsc: not defined: {sorted(used - defined)}")
    layer = packaging / "cmsis-pack/layer/heed.clayer.yml"
    check(package.find("csolution/clayer").get("file") == layer.name, "heed.heed.pdsc: its layer")
    for options in re.findall(r"CPP:\n((?:\s+- .*\n)+)", layer.read_text()):
        words = options.split("\n")[:-1]
        check(len(words) == len(set(words)), "heed.clayer.yml: an option twice, which its schema does not allow")


def zephyr():
    module = (packaging / "zephyr/module.yml").read_text()
    check(keys_of(module) == ["name", "build", "samples"], "module.yml: its keys")
    check(set(keys_of(module, "  ")) == {"cmake", "kconfig"}, "module.yml: its build")
    sample = (packaging / "zephyr/samples/layer/sample.yaml").read_text()
    check(keys_of(sample) == ["sample", "common", "tests"], "sample.yaml: its keys")
    check(set(keys_of(sample, "  ")) >= {"name", "description", "tags", "min_ram", "min_flash", "harness"},
          "sample.yaml: what it needs")
    tests = sample.split("tests:\n")[1]
    check(len(re.findall(r"^    filter: ", tests, re.M)) == len(re.findall(r"^  sample\S+:$", tests, re.M)),
          "sample.yaml: filters")


for manager in (arduino, platformio, esp_idf, cmsis_pack, zephyr):
    manager()
print("\n".join(failures) or "the manifests of 5 managers have their formats")
sys.exit(len(failures) != 0)
