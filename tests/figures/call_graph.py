# SPDX-License-Identifier: MIT
"""The deepest stack below every public function, from the call graphs that gcc -fcallgraph-info=su writes."""

import re
import sys

# The indirect calls that there may be: what the line looks like, the functions that it reaches, by name and place, and
# what a cache has to name for them, which is no part of the bound over floats in the slots of sequences. Through the executor's hook they
# are the tasks of the same object; what the hook itself needs is the user's, and not in the bound. Neither is what an
# observer needs, nor a format of weights that a program may name: a format of weights has a bound of its own.
HOOK_FILE = "runtime/common/parallel_for.hpp"
HOOK_CALL = "executor.parallel_for("
TASK = re.compile(r"::parallel_for_each<.*::<lambda\(void\*, uint32_t\)>::_FUN\(void\*, uint32_t\)")
STORED, PLACED, INTEGERS, EXTENDED = ", stored cache", ", ring or pages", ", in integers", ", extended model"
PANELS = r"^void heed::detail::(multiply_panels|dequantize_panel)\((const Gemm&, )?const std::byte\*"
ROWS = r"^(static constexpr )?void heed::detail::(short_cache<.*<lambda|.*\bdequantize_int\d_rows\(const std::byte)"
LANE = r"^(static )?(constexpr )?void heed::detail::weights_of<.*<lambda"
FLOATS = r"^void heed::detail::store_float32\("
STORE = r"^void heed::detail::store_(with_scales|b?float16|int8|int8_channels|int4)\("
SCALES = r"^void heed::detail::(clear|raise)_int\d_scales?\("
PROJECT = r"LayerCall<.*::check_keys.*<lambda"
# Members of a table are functions of one source. MEMBER is the member that is called.
READER, KEYS, CHANNELS, INTEGER_KEYS = (
    rf"^(?!.*<lambda).*\bMEMBER(_tensors|_rows)?\(.*\n.*runtime/{source}\.cpp:"
    for source in ("(cache/cache_reader|attention/key_source)", "cache/stored_keys", "cache/channel_scales",
                   "cache/integer_(keys|scores)"))
BLOCKS, ENDS = (rf"\b(apply_)?MEMBER(_all)?\(.*\n.*runtime/transformer/{source}\.cpp:" for source in
                ("extended_blocks", "extended_ends"))
PAGES = {"check_keys": "check_paged_keys", "check": "check_pages", "clear": "clear_pages", "append": "append_to_pages"}
RING = {"reorders": "reorders_ring", "attend": "attend_in_ring", "check_call": "check_ring_call",
        "check_layer_call": "check_ring_layer_call", "position": "position_in_ring", "slot_of": "slot_in_ring"}
HOOKS = [(re.compile(call), names, named_for) for call, names, named_for in (
    (r"\breader->(?P<member>\w+)\(", READER, ""),
    (r"\bstored->(?P<member>panels|multiply_\w+)\(", KEYS, STORED),
    (r"\bstored->(?P<member>multiply_keys|weigh_values)\(", INTEGER_KEYS, INTEGERS),
    (r"\bformat->value_in\(", r"\binteger_value_in\(", INTEGERS),
    (r"\bstore(_row|_key|_value)?\(", r"::store_(whole|channels)\(", INTEGERS),
    (r"\bformat->may_be\(", r"\bmay_be_channel_scales\(", STORED),
    (r"\bformat->may_be\(", r"\bmay_be_value_scales\(", INTEGERS),
    (r"\bformat->round\(", r"\bround_rows_for\(", INTEGERS),
    (r"\bstage\(x, ", r"\bstore_row\(", ""),
    (r"\bsums_of\(product", r"\binteger_sums\(", ""),
    (r"\b(one_row|two_rows)\(product\)", r"\b(panel|two_rows)_of_(raw_words|bytes)\(", ""),
    (r"\btile\(weights, x, count", r"\b(four|two_by_two)_of_(bytes|nibbles|raw_words)\(", ""),
    (r"\bsums_of_panel : sums_of_bytes", r"\bsums_of_(panel|bytes)\(", ""),
    (r"\bsums_of\(weights, ", r"\bsums_of_(bytes|nibbles)\(", ""),
    (r"\bactivate\)?\((config\.activation|Activation::)", r"\bmap_(integer_)?activation\(", ""),
    (r"\bscales->(?P<member>\w+)\(", CHANNELS, STORED),
    (r"= project\(call", PROJECT, STORED),
    *((rf"\bring\w*(\(cache\))?->{member}\(", rf"\b{name}\(", PLACED) for member, name in RING.items()),
    *((rf"\bpages\w*(\(cache\))?->{member}\(", rf"\b{name}\(", PLACED) for member, name in PAGES.items()),
    (r"\bstore(_row|_key|_value)?\(", FLOATS, ""),
    (r"\bstore(_row|_key|_value)?\(", STORE, STORED),
    (r"\bformat\.(clear|raise)_scales\(", SCALES, STORED),
    (r"\bformat->(dequantize_panel|multiply_panels|multiply_rows)\(", PANELS, STORED),
    (r"\bformat->dequantize_rows\(", ROWS, STORED),
    (r"\bquantized\.format\.\w+\(", PANELS, ""),
    (r"\bweights\.format->dequantize_panel\(", PANELS, ""),
    (r"\bformat->dequantize_lane\(", LANE, ""),
    (r"\bpack\(plan\.", r"^void heed::detail::pack_(floats|rounded)\(", ""),
    (r"\bformat->multiply\(", None, ""),
    (r"\bobserver_?(\.|->)see\(", None, ""),
    (r"\bextension_?->blocks\.(?P<member>caches_are_named|run)\(", BLOCKS, EXTENDED),
    (r"\bextension_?->ends\.(?P<member>\w+)\(", ENDS, EXTENDED),
)]
# What is in the bounds of a public function that is named so, in the order of growing bounds.
VARIANTS = {"": {""}, STORED: {"", STORED}, PLACED: {"", STORED, PLACED},
            INTEGERS: {"", STORED, INTEGERS}, EXTENDED: {"", STORED, PLACED, EXTENDED}}
# What a format of weights adds to the call of a linear layer.
FORMAT_CALLS = {"heed::detail::quantized_linear(": "weights in few bits, added",
                "heed::detail::integer_linear(": "weights for rows of integers, added"}
# attend() in integers, by a plan that is made when the program runs, and by one that is a constant.
INTEGER_CALLS = {"attention in integers": r"heed::attend\((?!.*Options)",
                 "attention in integers by a constant plan": r"heed::detail::attend_one_block\("}
# Where the C interface is defined.
C_FOLDER = "runtime/c/"
# The user's, and the compiler's run-time support of cores without floats, with frames that are not in the bound.
EXTERNAL = re.compile(r"mem(cpy|move|set)|__aeabi_[a-z0-9]+|__[a-z]+[sd][fi][23]|__(fix|float)[a-z]+")

NODE = re.compile(r'node: \{ title: "([^"]*)" label: "([^"]*)"')
EDGE = re.compile(r'edge: \{ sourcename: "([^"]*)" targetname: "([^"]*)"(?: label: "([^"]*)")?')
INDIRECT = "__indirect_call"
# Members that only members call.
PRIVATE = re.compile(r"heed::(MultiHeadAttention|TransformerBlock|Model|KvCache)"
                     r"::(run|run_blocks|append_in_block|encode_row|encode_rows|check_context|check_place|clear|place|block_at|show|ends"
                     r"|apply_head|check_encode|spare)$")


class Refused(Exception):
    """The graph has no bound, or none that is known."""


class CallGraph:
    def __init__(self):
        self.frames = {}  # function -> bytes of its own frame
        self.names = {}  # function -> name with arguments
        self.places = {}  # function -> file:line:column
        self.calls = {}  # function -> functions that it calls
        self.hooks = []  # functions, and the hooks that they call
        self.joined = {}  # as calls, with what the hooks of one variant reach

    def read(self, path):
        """Joins the graph of one object."""
        text = path.read_text()
        tasks = set()
        for title, label in NODE.findall(text):
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
            targets = {target}
            if target == INDIRECT and is_at(place, HOOK_FILE, HOOK_CALL) and tasks:
                targets = tasks
            elif target == INDIRECT:
                line = line_at(place) if re.search("/(runtime|ports)/", place) else ""
                reached = [(source, names, named_for, call.search(line)) for call, names, named_for in HOOKS]
                reached = [hook for hook in reached if hook[-1]]
                if not reached:
                    raise Refused(f"{source} calls what nobody knows, at {place}")
                self.hooks += reached
                targets = set()
            self.calls.setdefault(source, set()).update(targets)

    def join_hooks(self, kinds):
        """Makes calls of the hooks of these kinds, once every object has been read."""
        self.joined = {function: set(called) for function, called in self.calls.items()}
        for source, names, named_for, call in self.hooks:
            if names is not None and named_for in kinds:
                wanted = re.compile(names.replace("MEMBER", call.groupdict().get("member", "")))
                found = {function for function, name in self.names.items()
                         if wanted.search(f"{name}\n{self.places[function]}")}
                if not found:
                    raise Refused(f"{source}: no function is what it calls by {call[0]}")
                self.joined[source].update(found)

    def depth(self, function, path=()):
        """Bytes of stack from the entry of a function on, and the path that needs them."""
        if function in path:
            raise Refused("recursion: " + " -> ".join(path + (function,)))
        # A constructor has two names, and a graph knows it by one of them.
        if function not in self.frames and "C1E" in function:
            function = function.replace("C1E", "C2E", 1)
        if function not in self.frames:
            if EXTERNAL.fullmatch(function):
                return 0, ()
            raise Refused(f"{function} has no known frame; called by {path[-1] if path else 'nobody'}")
        called = self.joined.get(function, ())
        below = max((self.depth(callee, path + (function,)) for callee in called), default=(0, ()))
        return self.frames[function] + below[0], (function,) + below[1]

    def own_depth(self, function, folder):
        """The part of depth() above the first function that is defined outside of this folder."""
        if folder not in self.places.get(function, ""):
            return 0
        called = self.joined.get(function, ())
        return self.frames[function] + max((self.own_depth(callee, folder) for callee in called), default=0)

    def public(self):
        """Names without arguments, and functions, of what a user can call."""
        for function in self.frames:
            if function.startswith("heed_") or re.match(r"_ZNK?4heed(?!6detail)", function) and "." not in function:
                name = re.search(r"[\w:~]+(?=\()", self.names[function]).group()
                if not PRIVATE.match(name):
                    yield name + with_options(self.names[function]), function
            for call, name in FORMAT_CALLS.items():
                if call in self.names[function]:
                    yield name, function


def with_options(signature):
    """What tells a function from the other of its name."""
    return ", options" if re.search(r"(Attention|MultiHead)Options", signature) else ""


def line_at(place):
    """The source line of a place, file:line:column."""
    file, line, _ = place.rsplit(":", 2)
    with open(file) as source:
        return source.read().splitlines()[int(line) - 1]


def is_at(place, file, call):
    """Whether a place is this call in this file."""
    return place.rsplit(":", 2)[0].endswith(file) and call in line_at(place)


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
    graph.join_hooks(VARIANTS[""])
    return graph


def integer_bounds(files):
    """{call: bytes} of attend() in integers alone, over a cache that names no other format."""
    graph = read_graphs(files)
    graph.join_hooks({"", INTEGERS})
    return {call: max(graph.depth(function)[0] for function, name in graph.names.items() if re.search(defined, name))
            for call, defined in INTEGER_CALLS.items()}


def bounds_of(graph):
    """{public name: (bytes, path)} of a whole graph; of a variant only where it needs more."""
    found = {}
    for variant in VARIANTS:
        graph.join_hooks(VARIANTS[variant])
        bounds = {}
        for name, function in graph.public():
            bounds[name] = max(bounds.get(name, (0, ())), graph.depth(function))
        less = dict(found)
        for name, bound in bounds.items():
            if all(bound[0] > less[name + smaller][0] for smaller in VARIANTS if name + smaller in less):
                found[name + variant] = bound
        # A function that nobody calls may recurse as well.
        for function in graph.frames:
            graph.depth(function)
    if not found:
        raise Refused("no public function was found")
    return found


if __name__ == "__main__":
    import pathlib

    bounds = stack_bounds(pathlib.Path(sys.argv[1]).rglob("*.ci"))
    for entry, (size, path) in sorted(bounds.items(), key=lambda item: -item[1][0]):
        print(size, entry, "\n    ", "\n     ".join(path))
