package dev.skerry.bench.circuit;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import dev.skerry.dataplane.circuit.CircuitSwitch;
import dev.skerry.dataplane.circuit.RegisterTable;
import dev.skerry.dataplane.circuit.SwitchCounter;
import dev.skerry.dataplane.memory.Region;
import dev.skerry.dataplane.ring.LinkBundle;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;
import org.openjdk.jcstress.infra.results.IJJ_Result;
import org.openjdk.jcstress.infra.results.ZI_Result;

import java.lang.foreign.Arena;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The transfer of a cell from one thread over a {@link CircuitSwitch} to another: the thread that receives the handle
 * sees the words that the sender wrote before it published the handle. Handle 3 is a cell with the words 7 and 8; -9 is
 * a slot not published, -1 an empty slot, -2 a lane without a word of its slot.
 *
 * <p>{@code .ci/planted.sh} plants a mistake for every scenario and expects the test to fail.
 */
public final class CircuitSwitchStress {
    private static final int NOT_COME = -9;

    private CircuitSwitchStress() {
    }

    /**
     * Connects input i to output PORTS - 1 - i; the cell has two words at handle 3. The cells use the last input, which
     * the switch reads last, and the first output, which it writes first.
     */
    private abstract static class Crossed {
        private static final int PORTS = 32;
        private static final int[] ALL = IntStream.range(0, PORTS).toArray();
        private static final RegisterTable TABLE = new RegisterTable(PORTS, 1, (slot, output) -> PORTS - 1 - output);

        final LinkBundle in;
        final LinkBundle out;
        final CircuitSwitch circuits;
        final Region cells;

        Crossed() {
            final Arena arena = Arena.ofAuto();
            in = new LinkBundle(arena, PORTS, 1, 0);
            out = new LinkBundle(arena, PORTS, 1, 0);
            cells = Region.allocate(arena, 64);
            circuits = new CircuitSwitch(arena, "crossed", TABLE,
                List.of(new CircuitSwitch.Inlet(in.consumer(), ALL)),
                List.of(new CircuitSwitch.Outlet(out.producer(), ALL)));
            circuits.start(0);
        }

        final void send(final long slot, final int handle) {
            in.producer().put(slot, PORTS - 1, handle);
            for (int lane = 0; lane < PORTS - 1; lane++) {
                in.producer().put(slot, lane, LinkBundle.DARK);
            }
            in.producer().publish(slot + 1);
        }

        final void sendCell() {
            cells.setLong(3 * 16, 7);
            cells.setLong(3 * 16 + 8, 8);
            send(0, 3);
        }

        final void receiveCell(final IJJ_Result r) {
            r.r1 = receive();
            r.r2 = r.r1 == 3 ? cells.getLong(3 * 16) : 0;
            r.r3 = r.r1 == 3 ? cells.getLong(3 * 16 + 8) : 0;
        }

        final int receive() {
            return out.consumer().readableUntil(0) > 0 ? out.consumer().handle(0, 0) : NOT_COME;
        }
    }

    /** The switch runs on the receiver's thread. */
    @JCStressTest
    @State
    @Outcome(id = {"-9, 0, 0", "3, 7, 8"}, expect = ACCEPTABLE, desc = "Not come, or the cell with its words.")
    @Outcome(expect = FORBIDDEN, desc = "The handle came before its words, or another handle.")
    public static class CellIntoSwitch extends Crossed {
        /** Writes the cell, then sends its handle. */
        @Actor
        public void send() {
            sendCell();
        }

        /** Switches, then reads what has arrived. */
        @Actor
        public void switchAndReceive(final IJJ_Result r) {
            circuits.doWork();
            receiveCell(r);
        }
    }

    /** The switch runs on the sender's thread. */
    @JCStressTest
    @State
    @Outcome(id = {"-9, 0, 0", "3, 7, 8"}, expect = ACCEPTABLE, desc = "Not come, or the cell with its words.")
    @Outcome(expect = FORBIDDEN, desc = "The handle came before its words, or another handle.")
    public static class CellOutOfSwitch extends Crossed {
        /** Writes the cell, sends its handle, and switches. */
        @Actor
        public void sendAndSwitch() {
            sendCell();
            circuits.doWork();
        }

        /** Reads what has arrived. */
        @Actor
        public void receive(final IJJ_Result r) {
            receiveCell(r);
        }
    }

    /** The sender of a full link waits for the switch. */
    @JCStressTest
    @State
    @Outcome(id = {"false, 3", "true, 3"}, expect = ACCEPTABLE, desc = "Switched before its row was used again.")
    @Outcome(expect = FORBIDDEN, desc = "Overwritten while it was still the switch's.")
    public static class FullInput extends Crossed {
        /** Slot 0 waits at the input, in the only row. */
        public FullInput() {
            send(0, 3);
        }

        /** Sends slot 1 if there is room. */
        @Actor
        public void sendNext(final ZI_Result r) {
            r.r1 = in.producer().writableUntil(1) > 1;
            if (r.r1) {
                send(1, 4);
            }
        }

        /** Switches slot 0, and reads what has come. */
        @Actor
        public void switchAndReceive(final ZI_Result r) {
            circuits.doWork();
            r.r2 = receive();
        }
    }

    /** At a full link the switch waits for the reader; no cell is lost or overwritten. */
    @JCStressTest
    @State
    @Outcome(id = {"3, 0, 1", "3, 1, 2"}, expect = ACCEPTABLE, desc = "Read, then its row used again, or not yet.")
    @Outcome(expect = FORBIDDEN, desc = "Overwritten while it was still the reader's, or forwarded twice.")
    public static class FullOutput extends Crossed {
        /** Slot 0 waits at the output, slot 1 at the input, one row each. */
        public FullOutput() {
            send(0, 3);
            circuits.doWork();
            in.producer().writableUntil(1);
            send(1, 4);
        }

        /** Switches slot 1 if there is room. */
        @Actor
        public void switchNext(final III_Result r) {
            r.r2 = circuits.doWork();
            r.r3 = (int) circuits.count(SwitchCounter.CELLS_FORWARDED);
        }

        /** Reads slot 0, then makes room. */
        @Actor
        public void receive(final III_Result r) {
            r.r1 = receive();
            out.consumer().free(1);
        }
    }
}
