#!/usr/bin/env python3
"""Plants ten bugs in skerry_shoal_node, and prints what cosim and a follower find, as in README.md.

    shoal_table.py MODEL.so WORK       compares with README.md; fails if a line of the table differs
    shoal_table.py MODEL.so WORK new   prints the table only
"""
import os
import re
import sys
from concurrent.futures import ThreadPoolExecutor

from table import HERE, check, driven

sys.path.insert(0, os.path.join(HERE, '../python'))
from node_bench import Device  # noqa: E402
from skerry import NOTHING, Follower, Stimulus  # noqa: E402

BUGS = ['none', 'report without the ready flows', 'each queue reported only once', 'turns until the arrival not subtracted',
        'dummies not recorded among the sent cells', 'second report frees a flow that awaits a later one',
        'age counted in slots', 'search begins at the flow served last', 'two local cells in a queue',
        'cell duplicated where four wait', 'sequence numbers wrap at 1024']
SLOTS = 20_000


def followed(model, bug):
    """Returns the first finding of a follower: "slot law"."""
    os.environ['SHOAL_NODE_BUG'] = str(bug)
    device = Device(model)
    line = device.library.skerry_model_describe().decode().split(' probes=')[0].removeprefix('shoal-node ')
    with Follower('shoal-follower ' + line) as follower, Stimulus('shoal-node ' + line) as stimulus:
        sent = NOTHING
        for slot in range(SLOTS):
            received = stimulus.next(sent)
            sent, _ = device.slot_step(slot, received)
            if follower.check(received, sent):
                return '{0} {1}'.format(*re.search(r'slot (\d+) node 3 .*?: (\w+):', follower.text()).groups())
    return '-'


def compared(model, work, bug):
    """Returns what cosim finds: the slot of its sequence, the first word that differs, and the shrunk length."""
    # The last bug needs 1,024 cells of a flow, so its sequence stays long.
    options = ['--shrink-seconds', '0'] if bug == len(BUGS) - 1 else []
    text = driven(model, '%s/shoal%d' % (work, bug), 200_000 if bug else 20_000, *options, SHOAL_NODE_BUG=str(bug))
    if not text:
        return '- | - | -'
    slot, shrunk = re.search(r'shrunk from (\d+) to (\d+) operations', text).groups()
    return '%d | %s | %s' % (int(slot) - 1, re.search(r'DIFFERS (\w+):', text)[1], '-' if options else shrunk)


def main():
    model, work = sys.argv[1:3]
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(lambda bug: compared(model, work, bug), range(len(BUGS))))
    check('shoal', ['| %d | %s | %s | %s |' % (bug, BUGS[bug], found[bug], followed(model, bug)) for bug in range(len(BUGS))])


if __name__ == '__main__':
    main()
