"""Builds the RTL and runs the cocotb tests: python3 run_cocotb.py BUILD-FOLDER [icarus|verilator]

Prints a line for each test. Exit code 77 with a reason if there is no simulator that cocotb supports.
"""
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
RTL = HERE.parent / "rtl"
VERILATOR = (5, 36)
NODE = {"RADIX": 3, "NODE": 5, "FIRST_HOP_TOKENS": 2, "PROPAGATION": 3, "FLOW": 5, "DESTINATION": 3, "QUEUE_CELLS": 40,
        "OWED_TOKENS": 64}
# Name, RTL, parameters, defines, simulators.
TESTS = (("cocotb_pieo", "skerry_pieo", {"ID_BITS": 7}, (), ("icarus", "verilator")),
         ("cocotb_pieo", "skerry_pieo", {"ID_BITS": 7}, ("PLANTED_SUBLIST_POINTER",), ("icarus", "verilator")),
         ("cocotb_node", "skerry_shale_node", NODE, (), ("verilator",)),
         ("cocotb_node", "skerry_shale_node", NODE, ("PLANTED_TOKEN_TWICE",), ("verilator",)))
NOT_HERE = 77


def simulators():
    """Returns the simulators that cocotb supports, and why the others are skipped."""
    found, reasons = [], []
    for name, program in (("icarus", "iverilog"), ("verilator", "verilator")):
        if not shutil.which(program):
            reasons.append(f"{program} is not installed")
        elif name == "verilator":
            text = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout
            version = tuple(int(part) for part in re.search(r"(\d+)\.(\d+)", text).groups())
            if version >= VERILATOR:
                found.append(name)
            else:
                reasons.append(f"cocotb takes Verilator from 5.036 on, here is {version[0]}.{version[1]:03}")
        else:
            found.append(name)
    return found, reasons


def run(build, simulator, module, top, parameters, defines):
    """Runs one test; raises an exception if it fails."""
    from cocotb_tools.runner import get_runner
    folder = build / "-".join([simulator, top, *(name.lower() for name in defines)])
    runner = get_runner(simulator)
    warnings = ["-Wno-fatal", "-Wno-lint", "-Wno-style"] if simulator == "verilator" else ["-g2012"]
    runner.build(sources=[RTL / f"{top}.sv"], hdl_toplevel=top, parameters=parameters,
                 defines={name: 1 for name in defines}, build_args=warnings, build_dir=folder, always=True,
                 timescale=("1ns", "1ps"), log_file=folder.with_suffix(".build.log"))
    results = runner.test(hdl_toplevel=top, test_module=module, build_dir=folder, log_file=folder.with_suffix(".log"),
                          extra_env={"PYTHONPATH": str(HERE), "SKERRY_PLANTED": "1" if defines else ""})
    said = re.findall(r"(\d+ (?:operations|slots), all equal|found: .*)", folder.with_suffix(".log").read_text())
    failed = "<failure" in Path(results).read_text() or "<error" in Path(results).read_text()
    if failed or not said:
        print(folder.with_suffix(".log").read_text()[-4000:], file=sys.stderr)
        raise SystemExit(f"cocotb: {module} in {simulator} failed")
    print(f"cocotb: {top}{' with a planted mistake' if defines else ''} in {simulator}: {said[-1].strip()}")


def main(build, *wanted):
    """Runs the tests with the given simulators, or with all available ones."""
    found, reasons = simulators()
    for name in wanted or found:
        for test in TESTS:
            if name in test[4]:
                run(Path(build).resolve(), name, *test[:4])
    for reason in reasons:
        print(f"cocotb: skipped, {reason}")
    return 0 if found else NOT_HERE


if __name__ == "__main__":
    os.makedirs(sys.argv[1], exist_ok=True)
    sys.exit(main(*sys.argv[1:]))
