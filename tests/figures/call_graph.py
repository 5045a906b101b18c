# SPDX-License-Identifier: MIT
"""The deepest stack below every public function, from the call graphs that gcc -fcallgraph-info=su writes."""

import re
import sys

# The two indirect calls that there may be: the executor's hook, and through it the task that the library hands to it.
# What the hook itself needs is the user's, and not in the bound.
HOOK_FILE = "runtime/common/parallel_for.hpp"
HOOK_CALL = "executor.parallel_for("
TASK = re.compile(r"::parallel_for_each<.*::<lambda\(void\*, uint32_t\)>::_FUN\(void\*, uint32_t\)")
# The user's, with frames that are not in the bound.
EXTERNAL = {"memcpy", "memmove", "memset"}

NODE = re.compile(r'node: \{ title: "([^"]*)" label: "([^"]*)"')
EDGE = re.compile(r'edge: \{ sourcename: "([^"]*)" targetname: "([^"]*)"(?: label: "([^"]*)")?')
INDIRECT = "__indirect_call"
# Members that only members call.
PRIVATE = re.compile(r"heed::((Kv)?MultiHeadAttention::run|FloatKvCache::(lengths|key_lane)|KvCache::(states|check_append))$")

# What a user calls the layer over a cache.
LAYERS = {"FloatKvCache": "MultiHeadAttention", "KvCache": "KvMultiHeadAttention"}
LAYER = re.compile(r"MultiHeadLayer<Cache>(?=.*\[with Cache = heed::(\w+))")
# The graph of the object that instantiates the layer puts the file in front of its names; its callers do not.
FILE = re.compile(r"^.*:(?=_ZNK?4heed14MultiHeadLayer)")

class Refused(Exception):
    """The graph has no bound, or none that is known."""


class CallGraph:
    def __init__(self):
        self.frames = {}  # function -> bytes of its own frame
        self.names = {}  # function -> name with arguments
        self.calls = {}  # function -> functions that it calls

    def read(self, path):
        """Joins the graph of one object."""
        text = path.read_text()
        tasks = set()
        for title, label in NODE.findall(text):
            title = FILE.sub("", title)
            name, *rest = label.split("\\n")
            if len(rest) < 2:
                continue  # defined elsewhere
            size = re.fullmatch(r"(\d+) bytes \((static|dynamic,bounded)\)", rest[1])
            if size is None:
                raise Refused(f"{name}: its frame has no bound: {rest[1]}")
            self.frames[title] = int(size.group(1))
            self.names[title] = name
            if TASK.search(name):
                tasks.add(title)
        for source, target, place in EDGE.findall(text):
            source, target = FILE.sub("", source), FILE.sub("", target)
            targets = {target}
            if target == INDIRECT:
                if not is_hook(place) or not tasks:
                    raise Refused(f"{source} calls what nobody knows, at {place}")
                targets = tasks
            self.calls.setdefault(source, set()).update(targets)

    def depth(self, function, path=()):
        """Bytes of stack from the entry of a function on, and the path that needs them."""
        if function in path:
            raise Refused("recursion: " + " -> ".join(path + (function,)))
        # A constructor has two names, and a graph knows it by one of them.
        if function not in self.frames and "C1E" in function:
            function = function.replace("C1E", "C2E", 1)
        if function not in self.frames:
            if function in EXTERNAL:
                return 0, ()
            raise Refused(f"{function} has no known frame; called by {path[-1] if path else 'nobody'}")
        called = self.calls.get(function, ())
        below = max((self.depth(callee, path + (function,)) for callee in called), default=(0, ()))
        return self.frames[function] + below[0], (function,) + below[1]

    def public(self):
        """Names without arguments, and functions, of what a user can call."""
        for function in self.frames:
            if function.startswith("heed_") or re.match(r"_ZNK?4heed(?!6detail)", function) and "." not in function:
                signature = LAYER.sub(lambda found: LAYERS[found[1]], self.names[function])
                name = re.search(r"[\w:~]+(?=\()", signature).group()
                if not PRIVATE.match(name):
                    yield name + variant(self.names[function]), function


def variant(signature):
    """What tells a function from the others of its name."""
    if "KvCacheView" in signature:
        return ", stored cache"
    return ", options" if re.search(r"(Attention|MultiHead)Options", signature) else ""


def is_hook(place):
    """Whether a place, file:line:column, is the call of the executor's hook."""
    file, line, _ = place.rsplit(":", 2)
    if not file.endswith(HOOK_FILE):
        return False
    with open(file) as source:
        return HOOK_CALL in source.read().splitlines()[int(line) - 1]


def stack_bounds(files):
    """{public name: (bytes, path)} of the library whose objects have these graphs."""
    graph = CallGraph()
    for file in sorted(files):
        graph.read(file)
    found = {}
    for name, function in graph.public():
        found[name] = max(found.get(name, (0, ())), graph.depth(function))
    if not found:
        raise Refused("no public function was found")
    # A function that nobody calls may recurse as well.
    for function in graph.frames:
        graph.depth(function)
    return found


if __name__ == "__main__":
    import pathlib

    bounds = stack_bounds(pathlib.Path(sys.argv[1]).rglob("*.ci"))
    for entry, (size, path) in sorted(bounds.items(), key=lambda item: -item[1][0]):
        print(size, entry, "\n    ", "\n     ".join(path))
