"""A node under test among eight models of its neighbours: a Shale fabric of nine nodes, without a simulator.

    from node_bench import run
    print(run("./my_node.so").findings)         # a shared library with the functions of model/skerry_model.h

slots_beside is the test bench without a device, for devices that are driven differently (cocotb_node.py).
"""
import ctypes

from skerry import NOTHING, Node, Scoreboard, Words

NODES, RADIX, LINKS, PROPAGATION, DEVICE = 9, 3, 4, 3, 5
RUN = "nodes=9 h=2 tokens=1 firstHopTokens=2 propagation=3 sprayTies=lowest workload=permutation seed=1"
SLOTS = 5_000


class Device:
    """A device behind the C functions of model/skerry_model.h; a row is a slot."""

    def __init__(self, path):
        self.library = ctypes.CDLL(path)
        self.library.skerry_model_create.restype = ctypes.c_void_p
        self.library.skerry_model_describe.restype = ctypes.c_char_p
        self.library.skerry_model_step.argtypes = [ctypes.c_void_p] + [ctypes.POINTER(ctypes.c_int64)] * 2
        description = self.library.skerry_model_describe().decode()
        self.names = description.split("probes=")[1].split(",")
        self.model = ctypes.c_void_p(self.library.skerry_model_create())
        self.words_in = (ctypes.c_int64 * 4)()
        self.words_out = (ctypes.c_int64 * (3 + len(self.names)))()

    def slot_step(self, slot, received):
        """Executes a slot; returns what the device sends, and its registers by name."""
        self.words_in[:] = [slot, *received]
        self.library.skerry_model_step(self.model, self.words_in, self.words_out)
        return Words(*self.words_out[:3]), dict(zip(self.names, self.words_out[3:]))


def sender(node, slot):
    """Returns the node whose cell, sent in a slot, arrives at a node."""
    phase, link = divmod(slot % LINKS, RADIX - 1)
    weight = RADIX ** phase
    digit = node // weight % RADIX
    return node + ((digit - link - 1) % RADIX - digit) * weight


def slots_beside(names):
    """Generates the slots of a device among eight models: yields (slot, what arrives at the device), receives what
    the device sent and its registers, and returns the scoreboard after SLOTS slots or the first finding."""
    others = {n: Node(f"shale-node node={n} {RUN}") for n in range(NODES) if n != DEVICE}
    board = Scoreboard(Node(f"shale-node node={DEVICE} {RUN}", names))
    sent = []
    for slot in range(SLOTS):
        # With a propagation delay, what arrives was sent in an earlier slot.
        arrived = [sent[slot - PROPAGATION][sender(n, slot - PROPAGATION)] if slot >= PROPAGATION else NOTHING
                   for n in range(NODES)]
        row = {n: other.slot_step(arrived[n])[0] for n, other in others.items()}
        row[DEVICE], registers = yield slot, arrived[DEVICE]
        sent.append(row)
        if board.check(arrived[DEVICE], row[DEVICE], **registers):
            break
    for model in [*others.values(), board.node]:
        model.close()
    return board


def run(path):
    """Returns the scoreboard of a verilated device after its slots, or after its first finding."""
    device = Device(path)
    slots = slots_beside(device.names)
    answer = None
    while True:
        try:
            answer = device.slot_step(*slots.send(answer))
        except StopIteration as end:
            return end.value
