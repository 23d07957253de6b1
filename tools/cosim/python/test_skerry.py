"""Tests the package with RTL, without cocotb: a fabric of eight Java nodes and a device, a verilated skerry_shale_node.

    python3 test_skerry.py DEVICE.so PLANTED.so       a correct device, and one that returns a token twice
"""
import json
import os
import signal
import subprocess
import sys
import tempfile

from skerry import DUMMY, NOTHING, Follower, Header, Message, Model, Node, Refused, Scoreboard, Stimulus, Words, decode, encode
from skerry import Device as StardustDevice, DeviceFollower, Failed
from node_bench import DEVICE, LINKS, NODES, PROPAGATION, RUN, SLOTS, Device, run, sender


def refused(action):
    """Returns the message with which an action is refused."""
    try:
        action()
    except (Failed, Refused) as problem:
        return str(problem)
    raise AssertionError("it was taken")


def joins_in_mid_run():
    """Flows that are offered, a follower without findings, and nodes that continue from the state of others."""
    line = "node=5 nodes=9 h=2 firstHopTokens=2 propagation=3 offers=2"
    with Node(f"shale-node {line}") as first, Node(f"shale-node {line}") as second, \
            Node(f"shale-node {line}") as third, Follower(f"shale-follower {line}") as follower:
        for model in (first, second, third, follower):
            assert model.offer(0, 5, 3) == 0
        for _ in range(20):
            sent, _ = first.slot_step(DUMMY)
            assert follower.check(DUMMY, sent) == 0
        second.begin_as(first)
        third.begin_as(follower)
        assert second.slot == 20 and first.get("flow0_sent") == third.get("flow0_sent") and first.get("flow0_sent")[0]
        first.set("queue1_owed_tokens", 3 * 8 + 1, 4 * 8)
        second.set("queue1_owed_tokens", 3 * 8 + 1, 4 * 8)
        assert "no such register" in refused(lambda: first.get("queue9_cells"))
        assert "only a new model" in refused(lambda: second.begin_as(first))
        for _ in range(20):
            assert first.slot_step(DUMMY) == second.slot_step(DUMMY)
        # A token that is not owed is a finding, and the text names the law.
        assert follower.check(DUMMY, Words(-1, 0, -1 << 32 | 3 * 8)) > 0 and "token" in follower.text()


def fabric_of_devices(line, adapters, devices, slots):
    """Returns the digest of a Stardust fabric that is wired by its devices' probes; halfway, each device is copied."""
    def wires(device):
        with StardustDevice(f"stardust-device device={device} {line}") as asked:
            links = asked.links
        names = [f"link{link}_peer_{end}" for link in range(links) for end in ("device", "link")]
        names += [f"message_slots_d{other}" for other in range(adapters)] if device < adapters else []
        with StardustDevice(f"stardust-device device={device} {line}", names) as asked:
            return asked.slot_step([0] * 5 * links)[2]

    wired = [wires(device) for device in range(devices)]
    models = [StardustDevice(f"stardust-device device={device} {line}", ["digest"]) for device in range(devices)]
    followers = [DeviceFollower(f"stardust-follower device={device} {line}") for device in range(devices)]
    sent, digest = [], 0
    for slot in range(slots):
        if slot == slots // 2:
            for device in range(devices):
                fresh = StardustDevice(f"stardust-device device={device} {line}", ["digest"])
                fresh.begin_as(models[device])
                models[device].close()
                models[device] = fresh
        rows, digest = [], 0
        for device, model in enumerate(models):
            links = []
            for link in range(model.links):
                peer, at = wired[device][f"link{link}_peer_device"], 5 * wired[device][f"link{link}_peer_link"]
                links += sent[slot - PROPAGATION][peer][0][at:at + 5] if slot >= PROPAGATION else [0] * 5
            messages = [] if device >= adapters else [
                message for other in range(adapters)
                if other != device and slot >= (wait := wired[device][f"message_slots_d{other}"])
                for message in sent[slot - wait][other][1] if message >> 48 & 0xffff == device]
            row = model.slot_step(links, messages)
            assert followers[device].check((links, messages), row[:2]) == 0, followers[device].text()
            rows.append(row[:2])
            digest += row[2]["digest"]
        sent.append(rows)
    assert followers[0].check(([0] * 5 * models[0].links, []), ([1 << 48 | 1 << 31] + [0] * (5 * models[0].links - 1), [])) == 1
    assert "conservation" in followers[0].text()
    for model in models + followers:
        model.close()
    return f"{digest & 2**64 - 1:016x}"


def finds_failures(kind, nodes, line):
    """A fabric in which a node stops and restarts, and a link fails: nodes exchange messages about the failures. A
    scoreboard of one node has no findings, and detects a changed word of a message."""
    fabric = [Node(f"{kind} node={n} {line}", ["cells_delivered"]) for n in range(nodes)]
    board = Scoreboard(Node(f"{kind} node=1 {line}"))
    wrong = Scoreboard(Node(f"{kind} node=1 {line}"))
    follower = Follower(f"{kind.replace('node', 'follower')} node=1 {line}")
    links = LINKS if kind == "shale-node" else nodes - 1
    flying, messages, delivered = [], 0, 0
    for slot in range(4000):
        if slot in (300, 900):
            fabric[0].set_down(slot == 300)
        row, back = [], slot - PROPAGATION
        for n, node in enumerate(fabric):
            source = sender(n, back) if kind == "shale-node" else (n - back % links - 1) % nodes
            arrived = flying[back][source] if back >= 0 else NOTHING
            # The links from node 4 to its neighbours carry nothing for some time.
            arrived = NOTHING if source == 4 and 1200 <= back < 2000 else arrived
            sent, probes = node.slot_step(arrived)
            row.append(sent)
            if n == 1:
                messages += sent.route == -4
                board.check(arrived, sent)
                assert follower.check(arrived, sent) == 0, follower.text()
                planted = Message(sent.feedback, [1, *sent.message[1:]]) if isinstance(sent, Message) \
                    else sent._replace(cell=sent.cell ^ 1) if sent.route == -4 else sent
                wrong.check(arrived, planted)
                delivered = probes["cells_delivered"]
        flying.append(row)
    assert not board.findings, board.findings
    assert messages > 0 and delivered > 50, (messages, delivered)
    assert wrong.findings and wrong.findings[0].name in ("message", "cell"), wrong.findings
    for model in [*fabric, board.node, wrong.node, follower]:
        model.close()


def follows_shoal():
    """A follower has no findings for a Shoal node, and detects a changed cell."""
    line = "nodes=8 channels=1 propagation=3 workload=permutation"
    fabric = [Node(f"shoal-node node={n} {line}") for n in range(8)]
    right, wrong = Follower(f"shoal-follower node=1 {line}"), Follower(f"shoal-follower node=1 {line}")
    flying, changed = [], 0
    for slot in range(2000):
        back = slot - PROPAGATION
        row = []
        for n, node in enumerate(fabric):
            arrived = flying[back][(n - back % 7 - 1) % 8] if back >= 0 else NOTHING
            sent, _ = node.slot_step(arrived)
            row.append(sent)
            if n == 1:
                assert right.check(arrived, sent) == 0, right.text()
                plant = slot >= 700 and not changed and sent.route >= 0
                changed = changed or plant
                found = wrong.check(arrived, sent._replace(cell=sent.cell ^ 1 << 20) if plant else sent)
                assert found > 0 or not plant, "a changed cell was not found"
        flying.append(row)
    assert changed and wrong.text().startswith("first: slot 7"), wrong.text()
    for model in [*fabric, right, wrong]:
        model.close()


def leaves_python_alone():
    """Ctrl-C raises KeyboardInterrupt; a missing Java raises Failed, also the second time; a saved state is
    restored."""
    line = "shale-node node=5 nodes=9 h=2 propagation=3 workload=permutation"
    with Node(line) as first, Node(line) as second:
        for _ in range(20):
            first.slot_step(DUMMY)
        sent, _ = first.slot_step(DUMMY)
        cell = decode(sent)
        assert cell.sent_slot == 20 and cell.sprays == 1 and cell.token1_kind is None, cell
        assert encode(**{name: value for name, value in cell._asdict().items() if value is not None}) == sent
        second.restore(first.save())
        assert second.slot == 21 and first.slot_step(DUMMY) == second.slot_step(DUMMY)
        try:
            os.kill(os.getpid(), signal.SIGINT)
            first.slot_step(DUMMY)
            raise AssertionError("no KeyboardInterrupt")
        except KeyboardInterrupt:
            pass
    program = "import skerry\nfor _ in range(2):\n  try: skerry.Model('pieo')\n  except skerry.Failed as e: print(e)"
    told = subprocess.run([sys.executable, "-c", program], env={**os.environ, "SKERRY_JAR": "/x"}, text=True, check=True,
                          cwd=os.path.dirname(os.path.abspath(__file__)), capture_output=True).stdout
    assert told == "no classes of Skerry in /x: point SKERRY_JAR at skerry.jar\n" * 2, told


def headers_come_round():
    """The header of the NIC of Shale's authors that docs/rtl.md explains, and one whose CRC covers a payload."""
    recorded = bytes.fromhex("038140e0820013069fff00")
    with Header("shale-prototype") as header, Header("shoal", payload=56) as shoal:
        fields = header.decode(recorded)
        assert header.state == "cell" and header.encode(**{n.replace("-", "_"): v for n, v in fields.items()}) == recorded
        assert "14 bits" in refused(lambda: header.encode(sequence=1 << 14))
        assert "has no colour" in refused(lambda: header.encode(colour=1))
        cell = shoal.encode(bytes(56), source=3, destination=5, sequence=7)
        assert shoal.decode(cell, bytes(56))["sequence"] == 7 and not shoal.faults()
        shoal.decode(cell, b"\1" + bytes(55))
        assert shoal.faults().startswith("crc "), shoal.faults()


def driven_by_stimulus(path):
    """Returns the text of a follower of a single device without neighbours, and the cases that were covered."""
    device, sent = Device(path), NOTHING
    with Stimulus(f"shale-node node={DEVICE} {RUN} weights=passing:20") as stimulus, \
            Follower(f"shale-follower node={DEVICE} {RUN}") as follower, tempfile.TemporaryDirectory() as folder:
        for slot in range(SLOTS):
            received = stimulus.next(sent)
            sent, _ = device.slot_step(slot, received)
            follower.check(received, sent)
        stimulus.reset()
        assert stimulus.next() == NOTHING, "nothing arrives in slot 0"
        assert "count what they exercise" in refused(lambda: stimulus.write_coverage(f"{folder}/no.json"))
        follower.write_coverage(f"{folder}/coverage.json")
        with open(f"{folder}/coverage.json", encoding="utf-8") as file:
            points = json.load(file)["coverage"]["shale-node"]
        return follower.text(), points


def main(device, planted, expected=None):
    """Prints a line for each check; an assertion stops the program."""
    assert "no such model" in refused(lambda: Model("nothing"))
    assert "not a node" in refused(lambda: Node("switch ports=2 rows=1,0"))
    with Model("pieo capacity=4") as pieo:
        assert "a row has" in refused(lambda: pieo.step([1]))
    follower = Follower("shale-follower nodes=4 h=2")
    follower.close()
    assert "NULL" in refused(follower.text)
    print("python: errors are told")
    leaves_python_alone()
    print("python: signals, and states that are saved")
    joins_in_mid_run()
    print("python: a model that joins in mid-run goes on equal")
    finds_failures("shale-node", NODES, f"{RUN} failures=1")
    finds_failures("shoal-node", 8, "nodes=8 channels=1 propagation=3 workload=permutation failures=1")
    print("python: nodes tell each other of failures, a changed message is found")
    follows_shoal()
    print("python: a node of Shoal is followed, a changed cell is found")
    headers_come_round()
    print("python: headers of a device are written and read")
    board = run(device)
    assert board.node.slot == SLOTS and not board.findings, board.findings
    print(f"python: {SLOTS} slots, all equal")
    found, points = driven_by_stimulus(device)
    assert not found and points["order.left"]["forwarded_behind_blocked"] > 0, (found, points)
    assert sum(points["schedule.sent"].values()) == SLOTS, points
    assert "token" in driven_by_stimulus(planted)[0]
    print("python: stimulus drives a device alone, and its coverage is written")
    board = run(planted)
    assert board.findings and board.findings[0].name.endswith("owed"), board.findings
    print(f"python: a planted mistake is found: {board.findings[0]}")
    if expected:
        assert "not a follower" in refused(lambda: DeviceFollower("pieo capacity=4"))
        assert "not a device" in refused(lambda: StardustDevice("pieo capacity=4"))
        digest = fabric_of_devices("nodes=6 topology=single workload=all-to-all flowBytes=9000 propagation=3 seed=4", 6, 10,
                                   400)
        assert digest == expected, f"{digest}, and the run has {expected}"
        print("python: a fabric of Stardust's devices has the digest of the run, and is followed")


if __name__ == "__main__":
    main(*sys.argv[1:])
