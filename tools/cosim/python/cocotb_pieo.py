"""A cocotb test of skerry_pieo: compares every port and the number of clocks with the Java PIEO after each operation.

Run by run_cocotb.py with Icarus or Verilator. To test your own PIEO, change the port names.
"""
import os
import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, Timer

from skerry import Model

ENQUEUE, DEQUEUE, DEQUEUE_F = 1, 2, 4
REFUSED, ABSENT = -1, -5
NONE = (1 << 16) - 1
PLANTED = bool(os.environ.get("SKERRY_PLANTED"))
OPERATIONS = int(os.environ.get("SKERRY_OPERATIONS", "3000"))


class Device:
    """The ports of the RTL; an operation is a row, as in the model."""

    def __init__(self, dut):
        self.dut = dut

    async def reset(self):
        """Resets the device for two clocks."""
        for port in (self.dut.enqueue_in, self.dut.dequeue_in, self.dut.dequeue_f_in, self.dut.id_in, self.dut.rank_in,
                     self.dut.time_in, self.dut.sublist_in):
            port.value = 0
        self.dut.rst.value = 1
        for _ in range(2):
            await FallingEdge(self.dut.clk)
        self.dut.rst.value = 0
        await FallingEdge(self.dut.clk)

    def request(self, requests):
        """Raises the ports of the requests and lowers the others."""
        self.dut.enqueue_in.value = requests & ENQUEUE
        self.dut.dequeue_in.value = requests >> 1 & 1
        self.dut.dequeue_f_in.value = requests >> 2 & 1

    async def step(self, requests, number, rank, time, sublist):
        """Executes an operation; returns code, id, rank, time, sublist, moved id, moved to, clocks."""
        dut = self.dut
        dut.id_in.value, dut.rank_in.value, dut.time_in.value, dut.sublist_in.value = number, rank, time, sublist
        self.request(requests)
        await Timer(500, "ps")
        code, clocks = REFUSED, 0
        if not int(dut.refused_out.value):
            await FallingEdge(dut.clk)
            self.request(0)
            clocks = 2
            await Timer(500, "ps")
            while not int(dut.done_out.value) and clocks < 10:
                await FallingEdge(dut.clk)
                await Timer(500, "ps")
                clocks += 1
            code = ABSENT if int(dut.absent_out.value) else int(bool(requests & ENQUEUE) or int(dut.found_out.value))
        row = [code, *(int(port.value) for port in (dut.id_out, dut.rank_out, dut.time_out, dut.enqueued_in_sublist_out,
                                                    dut.moved_id_out, dut.moved_to_sublist_out)), clocks]
        self.request(0)
        await FallingEdge(dut.clk)
        return row


@cocotb.test()
async def pieo_equals_the_model(dut):
    """Random operations; half of the ranks and times come from a small range, so that ties are common. With
    SKERRY_PLANTED one operation must differ."""
    seed = int(os.environ.get("SKERRY_SEED", "1"))
    draw = random.Random(seed)
    cocotb.start_soon(Clock(dut.clk, 2, "ns").start())
    device = Device(dut)
    await device.reset()
    where, found_nothing = {}, 0
    no_element = (1 << len(dut.moved_id_out)) - 1
    with Model(f"pieo capacity=64 idBits={len(dut.id_in)}") as model:
        for number in range(OPERATIONS):
            element = draw.randrange(1 << len(dut.id_in))
            small = draw.random() < 0.5
            rank, time = draw.randrange(8 if small else NONE), draw.randrange(8 if small else NONE)
            # Alternates between filling and draining.
            enqueues = element not in where and draw.random() < (0.7 if number // 500 % 2 == 0 else 0.3)
            requests = ENQUEUE if enqueues else DEQUEUE_F if element in where and draw.random() < 0.3 else DEQUEUE
            row = [requests, element, rank, time, where.get(element, 0)]
            seen, expected = await device.step(*row), model.step(row)
            what = f"operation {number} (seed {seed}): {row}: expected {expected}, seen {seen}"
            if seen != expected and PLANTED:
                dut._log.info("found: %s", what)
                return
            assert seen == expected, what
            if seen[0] == 1 and requests == ENQUEUE:
                where[element] = seen[4]
            elif seen[0] == 1:
                del where[seen[1]]
            if seen[5] != no_element:
                where[seen[5]] = seen[6]
            found_nothing += seen[0] == 0
    assert not PLANTED, "the planted mistake was not found"
    assert found_nothing > 0, "no dequeue found nothing"
    dut._log.info("%d operations, all equal", OPERATIONS)
