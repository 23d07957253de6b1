package dev.skerry.tools.command;

import dev.skerry.dataplane.pieo.Pieo;
import dev.skerry.dataplane.pieo.PieoLayout;
import dev.skerry.dataplane.pieo.PieoList;
import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.ToolCommand;
import dev.skerry.tools.trace.PieoReplay;
import dev.skerry.tools.trace.PieoVectors.PieoOperation;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import java.io.PrintWriter;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.Iterator;
import java.util.Objects;

/** {@code skerry pieo}: checks the PIEO reference model against a trace of the hardware, or against a simple list. */
@Command(name = "pieo", description = {
        "Compares operations recorded from PIEO hardware with the PIEO reference model.",
        "",
        "PIEO (push-in extract-out) is the scheduler of a node: a list ordered by rank, from which the first element "
            + "whose send time has come is dequeued. Record each operation of your hardware or simulation as one "
            + "line of a trace:",
        "",
        "  E id rank send_time valid     enqueue (valid: 1 accepted, 0 rejected)",
        "  D now 1 id rank send_time     dequeue of the first eligible element",
        "  D now 0                       dequeue, no element was eligible",
        "  F flow 1 id rank send_time    dequeue of an element by its id",
        "  F flow 0                      dequeue by id, no such element",
        "",
        "Numbers are decimal. Ranks and times have 16 bits; 65535 means none. The output is 'N operations, all "
            + "equal' (exit code 0) or the first line that differs (exit code 1). A malformed line is reported on "
            + "standard error (exit code 2).",
        "",
        "Without --replay, random operations check the model against a plain sorted list.",
        ""
    },
    footer = {
        "",
        "Example, a trace of the published hardware that comes with the source:",
        "  ./skerry pieo --replay dataplane/src/test/resources/pieo/rtl-101.txt.gz"
    })
final class PieoCommand extends ToolCommand {
    private static final int CHECK_OPERATIONS = 100_000;
    private static final long CHECK_SEED = 1;

    @Option(names = "--size", paramLabel = "N", defaultValue = "64",
        description = "Capacity of the PIEO in elements, 1 to 65536; ids have as many bits as are needed to number "
            + "them (default: ${DEFAULT-VALUE}).")
    int size;

    @Option(names = "--replay", paramLabel = "FILE", description = "Operation trace to replay, as text or gzip.")
    Path trace;

    @Override
    public Integer call() {
        Choices.refuseIf(size < 1 || size > PieoLayout.MAX_CAPACITY, "--size", size, "a PIEO holds 1 to "
            + PieoLayout.MAX_CAPACITY + " elements", "give a number in this range");
        final PieoLayout layout = new PieoLayout(size);
        final PrintWriter out = out();
        final String result;
        final boolean equal;
        if (trace == null) {
            final String difference = selfCheck(layout);
            equal = difference == null;
            result = equal ? CHECK_OPERATIONS + " operations, all equal" : difference;
        } else {
            final PieoReplay.Outcome outcome = PieoReplay.replay(trace, layout);
            equal = outcome.equal();
            result = equal ? outcome.operations() + " operations, all equal"
                : trace + ":" + outcome.line() + ": expected \"" + outcome.expected() + "\", got \"" + outcome.got()
                    + "\", after " + outcome.operations() + " equal operations";
        }
        out.println(result);
        out.flush();
        return equal ? 0 : 1;
    }

    /**
     * Fills and drains the model repeatedly and compares it with a list; returns the first difference, or null if there
     * is none.
     */
    private static String selfCheck(final PieoLayout layout) {
        final PieoList list = new PieoList();
        final BitSet held = new BitSet();
        final Iterator<PieoOperation> operations = PieoOperation.random(layout, CHECK_OPERATIONS, CHECK_SEED);
        try (Arena arena = Arena.ofConfined()) {
            final Pieo pieo = new Pieo(layout, arena.allocate(layout.byteSize(), PieoLayout.ALIGNMENT));
            for (int i = 1; operations.hasNext(); i++) {
                final String difference = difference(pieo, list, held, operations.next());
                if (difference != null) {
                    return "operation " + i + " (seed " + CHECK_SEED + "): " + difference;
                }
            }
        }
        return null;
    }

    private static String difference(final Pieo pieo, final PieoList list, final BitSet held,
        final PieoOperation operation) {
        // An id that is in the queue is not enqueued again; instead, an element is dequeued.
        if (operation.kind() == PieoOperation.ENQUEUE && !held.get(operation.id())) {
            final PieoList.Element f = new PieoList.Element(operation.id(), operation.rank(), operation.time());
            final int expected = list.size() < pieo.layout().capacity() ? Pieo.DONE : Pieo.FULL;
            final int got = pieo.enqueue(f.id(), f.rank(), f.sendTime());
            if (expected == Pieo.DONE) {
                held.set(f.id());
                list.enqueue(f);
            }
            return got == expected ? null
                : "enqueue " + f + ": expected " + Pieo.meaning(expected) + ", got " + Pieo.meaning(got);
        }
        final boolean byId = operation.kind() == PieoOperation.DEQUEUE_F;
        final PieoList.Element expected = byId ? list.dequeueF(operation.id()) : list.dequeue(operation.time());
        final int code = byId ? pieo.dequeueF(operation.id()) : pieo.dequeue(operation.time());
        final PieoList.Element got = code == Pieo.DONE
            ? new PieoList.Element(pieo.id(), pieo.rank(), pieo.sendTime()) : null;
        if (expected != null) {
            held.clear(expected.id());
        }
        return Objects.equals(expected, got) ? null : (byId ? "dequeue of id " + operation.id()
            : "dequeue at time " + operation.time()) + ": expected " + expected + ", got " + got;
    }
}
