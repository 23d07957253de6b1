"""Skerry's Java models for Python and cocotb, over libskerry (../c/skerry.h has the descriptions and rows of all models).

    from skerry import NOTHING, Node, Scoreboard
    board = Scoreboard(Node("shale-node node=5 nodes=9 workload=permutation", probes=["queue0_length"]))
    board.check(received=NOTHING, sent=words_of_the_device, queue0_length=register)     # once a slot

A cocotb test calls check from the coroutine that sees the end of a slot. SKERRY_LIBRARY and SKERRY_JAR name the library
and the classes; the defaults are ../target/libskerry.so and ../../target/skerry.jar. Models are not thread-safe.
"""
import ctypes
import os
from collections import namedtuple
from pathlib import Path
from typing import NamedTuple

_HERE = Path(__file__).resolve().parent
_WORDS_OF_A_NODE = 3
_WORDS_WITH_MESSAGE = 10
_MESSAGE = -4
_INPUTS_OF_A_FOLLOWER = 8
_REFUSED = -2


class Refused(ValueError):
    """A description or row that the model does not accept; the model is unchanged."""


class Failed(RuntimeError):
    """The model or the library failed, or Java is missing; a model can then only be closed."""


class Words(NamedTuple):
    """Content of a link in a slot: route -1 for a dummy, -2 for nothing; feedback -1 for no token (docs/words.md)."""
    route: int
    cell: int
    feedback: int


# The fields of words (docs/words.md): their word, least significant bit and width.
FIELDS = {
    "shale": {"sent_slot": ("route", 41, 23), "destination": ("route", 3, 20), "sprays": ("route", 0, 3),
              "flow": ("cell", 32, 32), "sequence": ("cell", 0, 32), "token2_kind": ("feedback", 55, 2),
              "token2_destination": ("feedback", 35, 20), "token2_sprays": ("feedback", 32, 3),
              "token1_kind": ("feedback", 23, 2), "token1_destination": ("feedback", 3, 20),
              "token1_sprays": ("feedback", 0, 3)},
    "shoal": {"sent_slot": ("route", 32, 32), "traffic_class": ("route", 26, 2), "source": ("route", 16, 10),
              "destination": ("route", 0, 16), "flow": ("cell", 32, 32), "sequence": ("cell", 0, 32),
              "dropped": ("feedback", 11, 1), "report": ("feedback", 0, 11)}}
_TUPLES = {fabric: namedtuple(fabric.capitalize() + "Fields", fields) for fabric, fields in FIELDS.items()}


def decode(words, fabric="shale"):
    """Returns the fields of words as a named tuple; None for the fields of an absent cell or token."""
    def field(name, word, low, bits):
        value = getattr(words, word)
        absent = value == -1 or name.startswith("token") and value >> (32 * (name[5] == "2")) & 0xFFFFFFFF == 0xFFFFFFFF
        return None if (absent if word == "feedback" else words.route < 0) else value >> low & (1 << bits) - 1
    return _TUPLES[fabric](**{name: field(name, *at) for name, at in FIELDS[fabric].items()})


def encode(fabric="shale", **fields):
    """Returns the words of a cell with these fields; other fields are 0. Without feedback fields there is no
    feedback."""
    values = {"route": 0, "cell": 0, "feedback": 0}
    for name, value in fields.items():
        word, low, bits = FIELDS[fabric][name]
        if not 0 <= value < 1 << bits:
            raise Refused(f"{name} has {bits} bits: {name}={value}")
        values[word] |= value << low
    names = {name for name in fields if FIELDS[fabric][name][0] == "feedback"}
    if not names:
        values["feedback"] = -1
    elif fabric == "shale" and not any(name.startswith("token2") for name in names):
        values["feedback"] |= -1 << 32
    return Words(*((value & (1 << 64) - 1 ^ 1 << 63) - (1 << 63) for value in values.values()))


class Message(Words):
    """A Shoal dummy with a message between nodes that handle failures: seven words, with the first byte of the
    message most significant. For Shale, a message is the cell word of Words(-4, message, feedback)."""

    def __new__(cls, feedback, message):
        words = super().__new__(cls, _MESSAGE, 0, feedback)
        words.message = tuple(message)
        return words

    def __eq__(self, other):
        return tuple(self) == tuple(other) and self.message == getattr(other, "message", ())

    def __ne__(self, other):
        return not self == other

    def __hash__(self):
        return hash((tuple(self), self.message))


DUMMY = Words(-1, 0, -1)
NOTHING = Words(-2, 0, -1)


class Finding(NamedTuple):
    """A difference: the value of the model, and the one seen in the device."""
    slot: int
    name: str
    expected: int
    seen: int


def _load():
    os.environ.setdefault("SKERRY_JAR", str(_HERE.parent.parent / "target" / "skerry.jar"))
    path = os.environ.get("SKERRY_LIBRARY", str(_HERE.parent / "target" / "libskerry.so"))
    try:
        library = ctypes.CDLL(path)
    except OSError as problem:
        raise Failed(f"{path}: {problem}; run make -C tools/cosim library, or point SKERRY_LIBRARY at it") from problem
    model, words, numbers = ctypes.c_void_p, ctypes.POINTER(ctypes.c_int64), ctypes.POINTER(ctypes.c_int)
    for name, result, arguments in (("skerry_open", model, [ctypes.c_char_p]), ("skerry_close", ctypes.c_int, [model]),
                                    ("skerry_inputs", ctypes.c_int, [model]),
                                    ("skerry_outputs", ctypes.c_int, [model]),
                                    ("skerry_step", ctypes.c_int, [model, words, words]),
                                    ("skerry_get", ctypes.c_int64, [model, ctypes.c_char_p, words, ctypes.c_int64]),
                                    ("skerry_set", ctypes.c_int, [model, ctypes.c_char_p, words, ctypes.c_int64]),
                                    ("skerry_copy", ctypes.c_int, [model, model]),
                                    ("skerry_save", ctypes.c_int64, [model, ctypes.c_char_p, ctypes.c_int64]),
                                    ("skerry_restore", ctypes.c_int, [model, ctypes.c_char_p, ctypes.c_int64]),
                                    ("skerry_offer", ctypes.c_int, [model, ctypes.c_int64, *[ctypes.c_int] * 3]),
                                    ("skerry_header_size", ctypes.c_int, [model, numbers, numbers]),
                                    ("skerry_header_encode", ctypes.c_int, [model, words, ctypes.c_char_p, ctypes.c_char_p]),
                                    ("skerry_header_decode", ctypes.c_int,
                                     [model, ctypes.c_char_p, ctypes.c_char_p, words, numbers]),
                                    ("skerry_names", ctypes.c_char_p, [model]),
                                    ("skerry_findings", ctypes.c_char_p, [model]),
                                    ("skerry_coverage", ctypes.c_int, [model, ctypes.c_char_p]),
                                    ("skerry_version", ctypes.c_char_p, []),
                                    ("skerry_error_code", ctypes.c_int, []),
                                    ("skerry_error", ctypes.c_char_p, [])):
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


_library = None


def _skerry():
    global _library
    if _library is None:
        _library = _load()
    return _library


class Model:
    """A model of any kind; its inputs and outputs are rows of words."""

    def __init__(self, description):
        """Raises Refused if the description fits no model, Failed if Java is missing."""
        self._model = _skerry().skerry_open(description.encode())
        if not self._model:
            self._checked(_skerry().skerry_error_code())
        self.inputs = _skerry().skerry_inputs(self._model)
        self.outputs = _skerry().skerry_outputs(self._model)
        self._in = (ctypes.c_int64 * self.inputs)()
        self._out = (ctypes.c_int64 * self.outputs)()

    @staticmethod
    def _error():
        return _skerry().skerry_error().decode()

    def step(self, row):
        """Executes one step. Raises Refused if the row is invalid, Failed if it violates a law."""
        if self._model is None or len(row) != self.inputs:
            raise Refused(f"a row has {self.inputs} words, and the model is open: words={len(row)}")
        self._in[:] = row
        self._checked(_skerry().skerry_step(self._model, self._in, self._out))
        return list(self._out)

    def _checked(self, code):
        if code < 0:
            raise (Refused if code == _REFUSED else Failed)(self._error())
        return code

    def get(self, name):
        """Returns the words of a register, see skerry.h; "slot" is the slot of the next step."""
        count = self._checked(_skerry().skerry_get(self._model, name.encode(), None, 0))
        words = (ctypes.c_int64 * count)()
        self._checked(_skerry().skerry_get(self._model, name.encode(), words, count))
        return list(words)

    def set(self, name, *words):
        """Replaces the words of a register."""
        row = (ctypes.c_int64 * len(words))(*words)
        self._checked(_skerry().skerry_set(self._model, name.encode(), row, len(words)))

    def begin_as(self, other):
        """Copies the state of another node, or of a follower, into a fresh node."""
        self._checked(_skerry().skerry_copy(other._model, self._model))
        self.slot = self.get("slot")[0]

    def save(self):
        """Returns the whole state of a node, Stardust device, switch or PIEO as bytes."""
        state = ctypes.create_string_buffer(self._checked(_skerry().skerry_save(self._model, None, 0)))
        self._checked(_skerry().skerry_save(self._model, state, len(state)))
        return state.raw

    def restore(self, state):
        """Restores a saved state in a fresh model with the same description, in any process."""
        self._checked(_skerry().skerry_restore(self._model, state, len(state)))
        if hasattr(self, "slot"):
            self.slot = self.get("slot")[0]

    def offer(self, slot, source, destination, cells=0x7FFFFFFF):
        """Adds a flow, endless unless cells are given; returns its number. The description needs offers=K."""
        return self._checked(_skerry().skerry_offer(self._model, slot, source, destination, cells))

    def write_coverage(self, file):
        """Writes the laws and choices that a follower, or a node with coverage=1, has exercised to a JSON file."""
        self._checked(_skerry().skerry_coverage(self._model, os.fsencode(file)))

    def _findings(self):
        findings = _skerry().skerry_findings(self._model)
        if findings is None:
            raise Failed(self._error())
        return findings.decode()

    def close(self):
        """Frees the model; further calls do nothing."""
        if self._model is not None:
            _skerry().skerry_close(self._model)
            self._model = None

    def __enter__(self):
        return self

    def __exit__(self, *problem):
        self.close()


class Node(Model):
    """A node of Shale or Shoal with one channel; slots count from 0."""

    def __init__(self, description, probes=()):
        self.probes = list(probes)
        self.fabric = description.split("-")[0].strip()
        super().__init__(description + (" probes=" + ",".join(self.probes) if self.probes else ""))
        self._words = self.inputs - 1
        if self._words not in (_WORDS_OF_A_NODE, _WORDS_WITH_MESSAGE) \
                or self.outputs != self._words + len(self.probes):
            self.close()
            raise Refused(f"not a node with one channel: {description}")
        self.slot = 0

    def slot_step(self, received):
        """Executes a slot; returns what the node sends, and its probes by name after the slot."""
        message = getattr(received, "message", ())
        row = self.step([self.slot, *received, *message, *[0] * (self._words - _WORDS_OF_A_NODE - len(message))])
        self.slot += 1
        sent = Words(*row[:_WORDS_OF_A_NODE])
        if sent.route == _MESSAGE and self._words == _WORDS_WITH_MESSAGE:
            sent = Message(sent.feedback, row[_WORDS_OF_A_NODE:self._words])
        return sent, dict(zip(self.probes, row[self._words:]))

    def set_down(self, down):
        """Stops the node, which loses its state, or restarts it, from the next slot on; with failures=1 or faults."""
        self.set("down", 1 if down else 0)


class Follower(Model):
    """Follows a node that makes its own choices ("shale-follower node=5 nodes=9 ...", or a shoal-follower with one
    channel); slots count from 0."""

    def __init__(self, description):
        super().__init__(description)
        self._message = _WORDS_WITH_MESSAGE - _WORDS_OF_A_NODE if self.inputs > 2 * _WORDS_WITH_MESSAGE else 0
        if self.inputs - 2 * self._message not in (_INPUTS_OF_A_FOLLOWER, _INPUTS_OF_A_FOLLOWER + 2):
            self.close()
            raise Refused(f"not a follower: {description}")
        self.slot = 0
        self.findings = 0

    def check(self, received, sent, joined=-1, payload=(0, 0)):
        """Follows a slot; returns its number of findings. joined: the link that the arriving cell joins. payload:
        digests of the payloads received and sent, with payload=1 in the description."""
        row = [self.slot]
        for words in (received, sent):
            message = getattr(words, "message", ())[:self._message]
            row += [*words, *message, *[0] * (self._message - len(message))]
        row = self.step([*row, joined, *payload][:self.inputs])
        self.slot += 1
        self.findings = row[0]
        return row[1]

    def expect(self, **registers):
        """Compares registers of the device after the last slot, such as queue3_tokens_d5n1=1. A difference is a
        finding."""
        for name, value in registers.items():
            self.set(name, value)

    def text(self):
        """Returns the findings, one per line, the first cause first."""
        return self._findings()


class Stimulus(Model):
    """Words to drive into a node, the same as those of `skerry cosim` with the same seed
    ("shale-node node=4 nodes=9 ... stimulusSeed=1 weights=first:9,none:0"). Other models: use step()."""

    def __init__(self, description):
        super().__init__("stimulus " + description)

    def next(self, sent=NOTHING):
        """Returns what the node receives in this slot. sent: what it sent in the slot before; ignored in the first
        slot."""
        return Words(*self.step([*sent])[1:])

    def reset(self):
        """Starts the next sequence at slot 0, after a reset of the node."""
        self.set("slot", 0)


class Device(Model):
    """An adapter or element of Stardust ("stardust-device device=17 nodes=16 topology=clos"); slots count from 0."""
    WORDS_OF_A_LINK = 5

    def __init__(self, description, probes=()):
        super().__init__(description + (" probes=" + ",".join(probes) if probes else ""))
        names = _skerry().skerry_names(self._model).decode().split("\n")[1].split(" ")
        if "tx_messages" not in names:
            self.close()
            raise Refused(f"not a device of Stardust: {description}")
        self.links = names.index("tx_messages") // self.WORDS_OF_A_LINK
        self.room = self.outputs - len(probes) - self.links * self.WORDS_OF_A_LINK - 1
        self.probes = list(probes)
        self.slot = 0

    def slot_step(self, links, messages=()):
        """Executes a slot. links: five words for each link in one list; messages: requests and credits. Returns the
        words of the links, the messages, and the probes by name after the slot."""
        if len(messages) > self.room:
            raise Refused(f"a row has room for {self.room} messages: messages={len(messages)}")
        row = self.step([self.slot, *links, len(messages), *messages, *[0] * (self.room - len(messages))])
        self.slot += 1
        end = self.links * self.WORDS_OF_A_LINK
        return row[:end], row[end + 1:end + 1 + row[end]], dict(zip(self.probes, row[end + 1 + self.room:]))


class DeviceFollower(Follower):
    """Follows an adapter or element of Stardust ("stardust-follower device=17 nodes=16 topology=clos"); slots count
    from 0."""

    def __init__(self, description):
        Model.__init__(self, description)
        names = _skerry().skerry_names(self._model).decode().split("\n")[0].split(" ")
        if "tx_messages" not in names:
            self.close()
            raise Refused(f"not a follower of a device of Stardust: {description}")
        self.room = len(names) - names.index("tx_messages") - 1
        self.slot = 0
        self.findings = 0

    def check(self, received, sent):
        """Follows a slot; returns its number of findings. received and sent: the words of the links in one list, and
        a list of messages, as slot_step of a Device accepts and returns them."""
        row = [self.slot]
        for links, messages in (received, sent):
            if len(messages) > self.room:
                raise Refused(f"a row has room for {self.room} messages: messages={len(messages)}")
            row += [*links, len(messages), *messages, *[0] * (self.room - len(messages))]
        findings, new, *_ = self.step(row)
        self.slot += 1
        self.findings = findings
        return new


class Header(Model):
    """Headers of a device with a description ("shale-prototype", or a file): fields by name, bytes as stored."""
    STATES = ("cell", "dummy", "nothing")

    def __init__(self, description, payload=0):
        """payload: bytes of the payload, for a CRC that covers it."""
        super().__init__(f"header file={description} payload={payload}")
        size, covered = ctypes.c_int(), ctypes.c_int()
        count = self._checked(_skerry().skerry_header_size(self._model, size, covered))
        self.bytes, self.payload = size.value, payload
        self.fields = _skerry().skerry_names(self._model).decode().split("\n")[1].split(" ")[-count:]
        self.state = None

    def _payload(self, payload):
        if len(payload) != self.payload:
            raise Refused(f"the payload has {self.payload} bytes: bytes={len(payload)}")
        return bytes(payload) if payload else None

    def encode(self, payload=b"", **fields):
        """Returns the bytes of a header. Write '_' for a '-' in the name of a field; omitted fields are 0."""
        named = {name.replace("_", "-"): value for name, value in fields.items()}
        if unknown := sorted(set(named) - set(self.fields)):
            raise Refused(f"the header has no {', '.join(unknown)}: fields={' '.join(self.fields)}")
        row = (ctypes.c_int64 * len(self.fields))(*(named.get(name, 0) for name in self.fields))
        into = ctypes.create_string_buffer(self.bytes)
        self._checked(_skerry().skerry_header_encode(self._model, row, self._payload(payload), into))
        return into.raw

    def decode(self, header, payload=None):
        """Returns the fields of a header by name, and sets `state` to what its slot holds. `faults()` then returns its
        faults."""
        if len(header) != self.bytes:
            raise Refused(f"the header has {self.bytes} bytes: bytes={len(header)}")
        row, state = (ctypes.c_int64 * len(self.fields))(), ctypes.c_int()
        self._checked(_skerry().skerry_header_decode(self._model, bytes(header), self._payload(payload or b""), row, state))
        self.state = self.STATES[state.value]
        return dict(zip(self.fields, row))

    def faults(self):
        """Returns the faults of the header that was decoded last, one per line; "" if there are none."""
        return self._findings()


class Scoreboard:
    """Compares a device with a node, slot by slot. Keeps the first findings; the model does not adopt what the device
    does."""

    def __init__(self, node, limit=10, ignore=()):
        """ignore: fields that the device's header lacks, such as ["sent_slot"] (docs/words.md)."""
        self.node = node
        self.limit = limit
        self._seen = {word: -1 for word in Words._fields}
        for word, low, bits in (FIELDS[node.fabric][name] for name in ignore):
            self._seen[word] &= ~((1 << bits) - 1 << low)
        self.findings = []
        self.differences = 0

    def check(self, received, sent, **registers):
        """Compares a slot: what the device received and sent, and any of the probes; returns the differences."""
        slot = self.node.slot
        expected, probes = self.node.slot_step(received)
        pairs = [*((word, getattr(expected, word) & seen, getattr(sent, word) & seen) for word, seen in self._seen.items()),
                 ("message", getattr(expected, "message", ()), getattr(sent, "message", ())),
                 *((name, probes[name], seen) for name, seen in registers.items())]
        found = [Finding(slot, name, want, seen) for name, want, seen in pairs if want != seen]
        self.findings += found[:max(0, self.limit - len(self.findings))]
        self.differences += len(found)
        return found
