#!/usr/bin/env python3
"""Plants ten bugs in cut_through_nic, checks each with Skerry in five ways, and prints the results as in README.md.

    table.py BENCH MODEL.so WORK       compares with README.md; fails if a line of the table differs
    table.py BENCH MODEL.so WORK new   prints the table only
"""
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
SKERRY = os.path.join(HERE, '../../../skerry')
BUGS = ['none', 'every 1000th returned token dropped', 'arrival link stands still in slot 1023',
        'cell duplicated where four wait', 'payload bit flipped', 'every 64th first-hop token dropped',
        'dead from slot 600', 'wrong bucket when the sequence wraps', 'head-of-line blocking',
        'owed token lost when a cell arrives', 'schedule stands still after an idle slot']
SCORE = ['--header', os.path.join(HERE, 'cut_through.header'), '--nodes', '9', '--propagation-slots', '3', '--receive-first',
         '--tokens', '2', '--first-hop-tokens', '3', '--owed-latency', '2', '--scan-depth', '4', '--ties', 'lowest']


def run(command, **environment):
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **environment})
    return done.stdout + done.stderr


def first(pattern, text):
    """Returns the first finding by slot, node 4 before others: "slot law"."""
    found = [(int(slot), node != '4', law) for slot, node, law in re.findall(pattern, text)]
    return '{0} {2}'.format(*min(found)) if found else '-'


def benched(bench, work):
    """Returns, for each bug, the slot in which it took effect, and what the followers and the models found."""
    text = run([bench, '+verilator+noassert', '+bugs=0', '+last=%d' % (len(BUGS) - 1), '+follow', '+model',
                '+trace=' + work + '/cut'])
    parts = re.split(r'^bug \d+: acted in slot (-?\d+), .*$', text, flags=re.M)
    if len(parts) != 2 * len(BUGS) + 1:
        sys.exit(text)
    return [[parts[2 * bug + 1].replace('-1', '-'),
             first(r'first: slot (\d+) node (\d+) .*?: (\w+):', parts[2 * bug]),
             first(r'slot (\d+) (\d+) (\w+)', re.sub(r'model: node (\d+): slot (\d+): (\w+)', r'slot \2 \1 \3', parts[2 * bug]))]
            for bug in range(len(BUGS))]


def scored(work, bug):
    prefix = '%s/cut%d' % (work, bug)
    text = run([SKERRY, 'score', prefix + '.cells.csv', '--state', prefix + '.state.csv'] + SCORE)
    return first(r'(?:first|then): +slot (\d+) node (\d+) .*?: (\w+):', text)


def asserted(bench, bug):
    """Returns the first assertion that fails; Verilator then ends the run."""
    text = run([bench, '+bugs=%d' % bug, '+last=%d' % bug])
    found = re.search(r'laws[.](\w+): \w+: slot (\d+) node 4 ', text)
    return '%s %s' % (found[2], found[1]) if found else '-' if ' 0 findings' in text else sys.exit(text)


def driven(model, out, operations, *options, **environment):
    """Returns the output of `skerry cosim` if it finds a difference, otherwise an empty string."""
    shutil.rmtree(out, ignore_errors=True)
    text = run([SKERRY, 'cosim', model, '--operations', str(operations), '--out', out, *options], **environment)
    return text if 'differs after' in text else '' if 'all equal' in text else sys.exit(text)


def compared(model, work, bug):
    text = driven(model, '%s/cosim%d' % (work, bug), 20000, '--shrink-seconds', '0', CUT_THROUGH_BUG=str(bug))
    return re.search(r'differs after (\d+) equal', text)[1] if text else '-'


def check(name, lines):
    """Prints a table; without "new", exits with an error if README.md lacks a line of it."""
    print('\n'.join(lines))
    if sys.argv[-1] == 'new':
        return
    with open(os.path.join(HERE, 'README.md')) as readme:
        text = readme.read()
    wrong = [line for line in lines if line not in text]
    print('%s: %d devices, %s' % (name, len(lines), 'all as in README.md' if not wrong else 'not as in README.md: %d' % len(wrong)))
    sys.exit(1 if wrong else 0)


def main():
    bench, model, work = sys.argv[1:4]
    os.makedirs(work, exist_ok=True)
    with ThreadPoolExecutor(2) as pool:
        bugs = range(len(BUGS))
        cosim = pool.map(lambda bug: compared(model, work, bug), bugs)
        rows = benched(bench, work)
        score = pool.map(lambda bug: scored(work, bug), bugs)
        laws = pool.map(lambda bug: asserted(bench, bug), bugs)
        lines = ['| %d | %s | %s |' % (bug, BUGS[bug], ' | '.join(rows[bug] + [s, a, c]))
                 for bug, s, a, c in zip(bugs, score, laws, cosim)]
    check('example', lines)


if __name__ == '__main__':
    main()
