# SPDX-License-Identifier: MIT
"""cmsis-pack.py <folder of a pack> <attribute>=<value>...: the sources, folders and layer that the pack gives to a device
of these attributes. Folders are sorted by their names, as the CMSIS-Toolbox has them."""
import fnmatch
import pathlib
import sys
import xml.etree.ElementTree

pack = pathlib.Path(sys.argv[1])
device = dict(argument.split("=") for argument in sys.argv[2:])
description = xml.etree.ElementTree.parse(pack / "heed.heed.pdsc").getroot()
conditions = {condition.get("id"): condition for condition in description.iter("condition")}


def matches(expression):
    """Every attribute of an expression: another condition, or what the device has."""
    return all(holds(value) if name == "condition" else fnmatch.fnmatchcase(device.get(name, ""), value)
               for name, value in expression.items())


def holds(name):
    if name is None:
        return True
    condition = conditions[name]
    accepted = [matches(expression) for expression in condition.findall("accept")]
    return (all(map(matches, condition.findall("require"))) and not any(map(matches, condition.findall("deny")))
            and (not accepted or any(accepted)))


[component] = [component for component in description.iter("component") if holds(component.get("condition"))]
files = [file for file in component.iter("file") if holds(file.get("condition"))]
[layer] = [layer for layer in description.iter("clayer") if holds(layer.get("condition"))]
found = [("source", file.get("name")) for file in files if file.get("category") == "source"]
found += sorted(("PRIVATE" if file.get("scope") == "private" else "PUBLIC", file.get("name").rstrip("/"))
                for file in files if file.get("category") == "include")
found += [("layer", layer.get("path") + "/" + layer.get("file"))]
others = [file.get("name") for file in files] + [description.findtext("license")]
for path in [path for _, path in found] + others:
    assert (pack / path).exists(), f"the pack names {path}, which is not there"
for kind, path in found:
    print(f"{kind}={pack / path}")
