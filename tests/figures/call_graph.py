# SPDX-License-Identifier: MIT
"""The deepest stack below every public function, from the call graphs that gcc -fcallgraph-info=su writes."""

import re
import sys

# The indirect calls that there may be: a file, a call in it, and the functions that it reaches. Through the executor's
# hook they are the tasks of the same object; what the hook itself needs is the user's, and not in the bound. Neither is
# what an observer needs, nor a format of weights that a program may name: a format has a bound of its own.
HOOK_FILE = "runtime/common/parallel_for.hpp"
HOOK_CALL = "executor.parallel_for("
TASK = re.compile(r"::parallel_for_each<.*::<lambda\(void\*, uint32_t\)>::_FUN\(void\*, uint32_t\)")
FORMAT = re.compile(r"heed::detail::format_of<.*::<lambda.*>::_FUN\(")
HOOKS = [
    ("runtime/linear/linear.cpp", "format->multiply(", None),
    ("runtime/linear/decoded_linear.cpp", "format.multiply_rows(", FORMAT),
    ("runtime/linear/decoded_linear.cpp", "format.decode(", FORMAT),
    ("runtime/linear/decode_output.cpp", "format->decode_lane(", FORMAT),
    ("runtime/linear/unpack_linear.cpp", "format->decode(", FORMAT),
    ("runtime/layer/packed_weights.cpp", "pack(layout.", re.compile(r"^void heed::detail::pack_(floats|rounded)\(")),
    ("runtime/model/block.hpp", "observer.see(", None),
    ("runtime/model/model.hpp", "observer_.see(", None),
    ("runtime/c/c_api_model.hpp", "observer->see(", None),
]
# What a format of weights adds to the call of a linear layer.
FORMAT_CALL = "heed::detail::multiply_decoded("
# Where the C interface is defined.
C_FOLDER = "runtime/c/"
# The user's, with frames that are not in the bound.
EXTERNAL = {"memcpy", "memmove", "memset"}

NODE = re.compile(r'node: \{ title: "([^"]*)" label: "([^"]*)"')
EDGE = re.compile(r'edge: \{ sourcename: "([^"]*)" targetname: "([^"]*)"(?: label: "([^"]*)")?')
INDIRECT = "__indirect_call"
# Members that only members call.
PRIVATE = re.compile(r"heed::((Kv)?(MultiHeadAttention|DecoderBlock|Model)::(run|run_blocks|encode_rows|bind_block|keep|show|ends)|FloatKvCache::(lengths|key_lane)|KvCache::(states|check_append))$")

# What a user calls a class over a cache.
CLASSES = {
    "FloatKvCache": {"MultiHeadLayer": "MultiHeadAttention", "TransformerBlock": "DecoderBlock",
                     "TransformerModel": "Model"},
    "KvCache": {"MultiHeadLayer": "KvMultiHeadAttention", "TransformerBlock": "KvDecoderBlock",
                "TransformerModel": "KvModel"},
}
OVER_CACHE = re.compile(r"(MultiHeadLayer|TransformerBlock|TransformerModel)<Cache>(?=.*\[with Cache = heed::(\w+))")
# The graph of the object that instantiates a class puts the file in front of its names; its callers do not.
FILE = re.compile(r"^.*:(?=_ZNK?4heed1(4MultiHeadLayer|6TransformerBlock|6TransformerModel))")

class Refused(Exception):
    """The graph has no bound, or none that is known."""


class CallGraph:
    def __init__(self):
        self.frames = {}  # function -> bytes of its own frame
        self.names = {}  # function -> name with arguments
        self.places = {}  # function -> file:line:column
        self.calls = {}  # function -> functions that it calls
        self.hooks = []  # functions, and what the names of the functions that they call look like

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
            self.places[title] = rest[0]
            if TASK.search(name):
                tasks.add(title)
        for source, target, place in EDGE.findall(text):
            source, target = FILE.sub("", source), FILE.sub("", target)
            targets = {target}
            if target == INDIRECT and is_at(place, HOOK_FILE, HOOK_CALL) and tasks:
                targets = tasks
            elif target == INDIRECT:
                reached = [names for file, call, names in HOOKS if is_at(place, file, call)]
                if not reached:
                    raise Refused(f"{source} calls what nobody knows, at {place}")
                self.hooks.append((source, reached[0]))
                targets = set()
            self.calls.setdefault(source, set()).update(targets)

    def join_hooks(self):
        """Makes calls of the hooks, once every object has been read."""
        for source, names in self.hooks:
            if names is not None:
                found = {function for function, name in self.names.items() if names.search(name)}
                if not found:
                    raise Refused(f"{source}: no function is what it calls")
                self.calls[source].update(found)

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

    def own_depth(self, function, folder):
        """The part of depth() above the first function that is defined outside of this folder."""
        if folder not in self.places.get(function, ""):
            return 0
        called = self.calls.get(function, ())
        return self.frames[function] + max((self.own_depth(callee, folder) for callee in called), default=0)

    def public(self):
        """Names without arguments, and functions, of what a user can call."""
        for function in self.frames:
            if function.startswith("heed_") or re.match(r"_ZNK?4heed(?!6detail)", function) and "." not in function:
                signature = OVER_CACHE.sub(lambda found: CLASSES[found[2]][found[1]], self.names[function])
                name = re.search(r"[\w:~]+(?=\()", signature).group()
                if not PRIVATE.match(name):
                    yield name + variant(self.names[function]), function
            elif FORMAT_CALL in self.names[function]:
                yield "weights in few bits, added", function


def variant(signature):
    """What tells a function from the others of its name."""
    if "KvCacheView" in signature:
        return ", stored cache"
    return ", options" if re.search(r"(Attention|MultiHead)Options", signature) else ""


def is_at(place, file, call):
    """Whether a place, file:line:column, is this call in this file."""
    found, line, _ = place.rsplit(":", 2)
    if not found.endswith(file):
        return False
    with open(found) as source:
        return call in source.read().splitlines()[int(line) - 1]


def stack_bounds(files):
    """{public name: (bytes, path)} of the library whose objects have these graphs."""
    return bounds_of(read_graphs(files))


def c_interface_bound(files):
    """The most stack that a call of the C interface adds to the C++ call that it forwards to, and the function."""
    graph = read_graphs(files)
    return max((graph.own_depth(function, C_FOLDER), function) for function in graph.frames
               if function.startswith("heed_"))


def read_graphs(files):
    """The graph of the library whose objects have these graphs."""
    graph = CallGraph()
    for file in sorted(files):
        graph.read(file)
    graph.join_hooks()
    return graph


def bounds_of(graph):
    """{public name: (bytes, path)} of a whole graph."""
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
