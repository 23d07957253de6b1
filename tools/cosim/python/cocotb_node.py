"""A cocotb test of skerry_shale_node, a Shale NIC, among eight Java models, with a scoreboard and a follower. The follower
writes its coverage to the file that SKERRY_COVERAGE names.

Run by run_cocotb.py. Needs Verilator 5.036 or newer, as cocotb does; Icarus 11 does not support this RTL. To test your own
node, change the port names and the protocol of a slot in `Device`.
"""
import os

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge

from skerry import Follower, Words
from node_bench import DEVICE, LINKS, RUN, SLOTS, slots_beside

WORD = (1 << 64) - 1
REGISTERS = {"length": "length_out", "outstanding": "spent_out", "owed": "owed_out"}
NAMES = [f"queue{link}_{name}" for link in range(LINKS) for name in REGISTERS]


def signed(value):
    """Converts a 64-bit word to the signed value that the models use."""
    return value - (1 << 64) if value >> 63 else value


class Device:
    """The ports of the RTL; a slot takes several clocks."""

    def __init__(self, dut):
        self.dut = dut

    async def reset(self):
        """Resets the device for two clocks."""
        for port in (self.dut.slot_in, self.dut.tx_ready, self.dut.rx_valid, self.dut.rx_route, self.dut.rx_cell,
                     self.dut.rx_feedback):
            port.value = 0
        self.dut.rst.value = 1
        for _ in range(2):
            await FallingEdge(self.dut.clk)
        self.dut.rst.value = 0

    async def pulse(self, port):
        """Sets a port to 1 for one clock."""
        port.value = 1
        await FallingEdge(self.dut.clk)
        port.value = 0

    async def until(self, port):
        """Waits for a port to be 1."""
        while not int(port.value):
            await FallingEdge(self.dut.clk)

    async def slot_step(self, slot, received):
        """Executes a slot; returns what the device sends, and its registers by name."""
        dut = self.dut
        await self.pulse(dut.slot_in)
        await self.until(dut.tx_valid)
        sent = Words(*(signed(int(port.value)) for port in (dut.tx_route, dut.tx_cell, dut.tx_feedback)))
        await self.pulse(dut.tx_ready)
        await self.until(dut.rx_ready)
        dut.rx_route.value, dut.rx_cell.value, dut.rx_feedback.value = (word & WORD for word in received)
        await self.pulse(dut.rx_valid)
        await FallingEdge(dut.clk)
        rows = {name: int(getattr(dut, port).value) for name, port in REGISTERS.items()}
        return sent, {f"queue{link}_{name}": row >> 16 * link & 0xFFFF for link in range(LINKS) for name, row in rows.items()}


@cocotb.test()
async def node_equals_the_model(dut):
    """Compares every word sent and every register after each slot; with SKERRY_PLANTED there must be a finding."""
    cocotb.start_soon(Clock(dut.clk, 2, "ns").start())
    device = Device(dut)
    await device.reset()
    slots, answer, board = slots_beside(NAMES), None, None
    follower = Follower(f"shale-follower node={DEVICE} {RUN}")
    while board is None:
        try:
            slot, received = slots.send(answer)
            answer = await device.slot_step(slot, received)
            follower.check(received, answer[0])
        except StopIteration as end:
            board = end.value
    if os.environ.get("SKERRY_COVERAGE") and not os.environ.get("SKERRY_PLANTED"):
        follower.write_coverage(os.environ["SKERRY_COVERAGE"])
    if os.environ.get("SKERRY_PLANTED"):
        assert board.findings, "the planted mistake was not found"
        dut._log.info("found: %s", board.findings[0])
    else:
        assert not board.findings and not follower.findings, f"{board.findings} {follower.text()}"
        dut._log.info("%d slots, all equal", SLOTS)
