package dev.skerry.tools.score.shale;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.follow.CellNames;
import dev.skerry.nic.follow.Follower;
import dev.skerry.nic.model.NodeCells;
import dev.skerry.nic.shale.Route;
import dev.skerry.nic.shale.follow.NodeFollower;
import dev.skerry.nic.shale.follow.ShaleFabricFollower;
import dev.skerry.schedule.Phased;
import dev.skerry.tools.score.TraceLines;

import java.io.Closeable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Registers of the nodes of a recorded fabric after each slot, one line per node and slot: {@code total_fwd}, the
 * number of cells held; {@code fwd_P_K}, the length of the queue of link K of phase P; {@code tok_P_K_dDnS}, the tokens
 * of bucket (D, S) left there. Columns may be missing, and others are ignored. The lengths of the queues show which
 * link an arriving cell joins. Not thread-safe.
 */
final class RegisterTrace implements Closeable {
    private static final Pattern LENGTH = Pattern.compile("fwd_(\\d{1,4})_(\\d{1,4})");
    private static final Pattern TOKENS = Pattern.compile("tok_(\\d{1,4})_(\\d{1,4})_d(\\d{1,7})n(\\d)");
    private static final int MOST_CELLS = 1 << 28;
    private static final int LACKING = -1;

    private final TraceLines lines;
    private final Phased schedule;
    private final CellNames names;
    private final int held;
    /** Column of the queue length, by link. */
    private final int[] length;
    private final List<Tokens> tokens = new ArrayList<>();
    /** Columns that are compared. */
    private final BitSet registers = new BitSet();
    /** By node: values of its line of this slot, and lengths by link before the slot. */
    private final int[][] values;
    private final int[][] before;
    private boolean more;
    /** Number of registers compared so far. */
    private long compared;

    /** A column of tokens left of a bucket on a link. */
    private record Tokens(int column, int link, int bucket) {
    }

    RegisterTrace(final TraceLines lines, final Phased schedule, final CellNames names) {
        this.lines = lines;
        this.schedule = schedule;
        this.names = names;
        this.held = lines.columns().indexOf("total_fwd");
        this.length = new int[schedule.epochSlots()];
        Arrays.fill(length, LACKING);
        final int columns = lines.columns().size();
        for (int column = 0; column < columns; column++) {
            read(column, lines.columns().get(column));
        }
        this.values = new int[schedule.nodes()][columns];
        this.before = new int[schedule.nodes()][length.length];
        lines.column("slot");
        lines.column("node");
        this.more = lines.next();
    }

    private void read(final int column, final String name) {
        final Matcher ofLink = LENGTH.matcher(name);
        final Matcher ofBucket = TOKENS.matcher(name);
        registers.set(column, column == held || ofLink.matches() || ofBucket.matches());
        if (ofLink.matches()) {
            length[link(ofLink, name)] = column;
        } else if (ofBucket.matches()) {
            final int destination = Integer.parseInt(ofBucket.group(3));
            final int sprays = Integer.parseInt(ofBucket.group(4));
            if (destination >= schedule.nodes() || sprays >= schedule.phases()) {
                throw foreign(name);
            }
            tokens.add(new Tokens(column, link(ofBucket, name), Route.bucket(destination, sprays)));
        }
    }

    private int link(final Matcher name, final String column) {
        final int phase = Integer.parseInt(name.group(1));
        final int link = Integer.parseInt(name.group(2));
        if (phase >= schedule.phases() || link >= schedule.linksPerPhase()) {
            throw foreign(column);
        }
        return phase * schedule.linksPerPhase() + link;
    }

    private RuntimeException foreign(final String column) {
        return lines.refuse("column " + column + " does not belong to a bucket or link of this fabric", "see --nodes "
            + "and --h");
    }

    /** Reads the lines of a slot; returns false unless there is one for every node. */
    boolean turnTo(final long slot) {
        final int slotColumn = lines.column("slot");
        final int nodeColumn = lines.column("node");
        int read = 0;
        while (more && lines.number(slotColumn, 0, Integer.MAX_VALUE) <= slot) {
            if (lines.number(slotColumn, 0, Integer.MAX_VALUE) == slot) {
                final int[] of = values[lines.number(nodeColumn, 0, values.length - 1)];
                for (int column = 0; column < of.length; column++) {
                    of[column] = registers.get(column) ? lines.number(column, 0, MOST_CELLS) : 0;
                }
                read++;
            }
            more = lines.next();
        }
        return read == values.length;
    }

    /** Derives the links that cells arriving in the slot join, by node, from the lengths of the queues. */
    void joined(final long slot, final NodeCells[] sent, final int[] into) {
        final int sending = schedule.slotInEpoch(slot);
        for (int node = 0; node < values.length; node++) {
            final boolean forwards = InFlightCells.isCell(sent[node].route(0))
                && names.exists(sent[node].cell(0)) && names.source(sent[node].cell(0)) != node;
            into[node] = Follower.UNTOLD;
            for (int link = 0; link < length.length; link++) {
                if (length[link] != LACKING) {
                    final int now = values[node][length[link]];
                    final boolean grown = now - before[node][link] + (forwards && link == sending ? 1 : 0) == 1;
                    before[node][link] = now;
                    into[node] = grown ? link : into[node];
                }
            }
        }
    }

    /** Compares all registers of a slot. */
    void compare(final ShaleFabricFollower fabric) {
        for (int node = 0; node < values.length; node++) {
            final NodeFollower follower = (NodeFollower) fabric.node(node);
            final int[] of = values[node];
            if (held >= 0) {
                follower.expectHeld(of[held]);
                compared++;
            }
            for (int link = 0; link < length.length; link++) {
                if (length[link] != LACKING) {
                    follower.expectLength(link, of[length[link]]);
                    compared++;
                }
            }
            for (final Tokens left : tokens) {
                follower.expectTokensLeft(left.link, left.bucket, of[left.column]);
                compared++;
            }
        }
    }

    long compared() {
        return compared;
    }

    @Override
    public void close() {
        lines.close();
    }
}
