package dev.skerry.tools.cosim;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.fabric.NodeProbes;
import dev.skerry.nic.flow.Cell;
import dev.skerry.nic.model.NodeCells;
import dev.skerry.nic.shale.Route;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.LongSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.zip.GZIPInputStream;

/**
 * What nodes of the Shale authors' hardware sent, received and held in every slot.
 * Each node has one flow, whose number is the node's. Cells lie by slot and node.
 */
record HardwareTrace(int nodes, int slots, Map<Long, long[]> sent, Map<Long, long[]> received, String[] columns,
    Map<Long, int[]> states) {
    private static final int PEER = 3;
    /** After slot, node, choice and pointer; a node with one flow has nothing to point at. */
    private static final int FIRST_REGISTER = 4;
    private static final Pattern OF_BUCKET = Pattern.compile("queue(\\d+)_outstanding_d(\\d+)n(\\d)");

    static HardwareTrace read(final String name) throws IOException {
        final Map<Long, long[]> sent = new HashMap<>();
        final Map<Long, long[]> received = new HashMap<>();
        int nodes = 0;
        int slots = 0;
        for (final String line : lines(name + ".cells")) {
            final String[] part = line.split(",");
            if (part[0].equals("kind")) {
                continue;
            }
            final int[] field = Arrays.stream(part, 1, part.length - 1).mapToInt(Integer::parseInt).toArray();
            final boolean dummy = field[15] == 1;
            final long[] words = {
                dummy ? InFlightCells.NO_CELL : Route.first(field[7], field[10], 0),
                dummy ? 0 : Cell.of(field[6], field[9]),
                field[11] < 0 && field[13] < 0 ? InFlightCells.NO_FEEDBACK
                    : token(field[11], field[12]) & 0xFFFF_FFFFL | token(field[13], field[14]) << Integer.SIZE,
                field[5]};
            if ((part[0].equals("T") ? sent : received).put(key(field[1], field[3]), words) != null) {
                throw new IllegalArgumentException("two cells of a node in a slot: " + line);
            }
            nodes = Math.max(nodes, field[3] + 1);
            slots = Math.max(slots, field[1]);
        }
        final List<String> rows = lines(name + ".state");
        final Map<Long, int[]> states = new HashMap<>();
        for (final String row : rows.subList(1, rows.size())) {
            final int[] values = Arrays.stream(row.split(",")).mapToInt(Integer::parseInt).toArray();
            states.put(key(values[0], values[1]), values);
        }
        return new HardwareTrace(nodes, slots, sent, received, rows.getFirst().split(","), states);
    }

    private static long token(final int destination, final int sprays) {
        return destination < 0 ? -1 : Route.bucket(destination, sprays);
    }

    private static List<String> lines(final String name) throws IOException {
        try (BufferedReader reader = new BufferedReader(new InputStreamReader(new GZIPInputStream(
            Objects.requireNonNull(HardwareTrace.class.getResourceAsStream("/oracle/shale-rtl/" + name + ".csv.gz"),
                name)), StandardCharsets.US_ASCII))) {
            return new ArrayList<>(reader.lines().toList());
        }
    }

    private static long key(final long slot, final int node) {
        return slot << Integer.SIZE | node;
    }

    /** A route word without the slot its source sent it in, which no header of the hardware carries. */
    static long withoutAge(final long route) {
        return route == InFlightCells.NO_CELL ? route
            : Route.first(Route.destination(route), Route.sprays(route), 0);
    }

    void sent(final int slot, final int node, final NodeCells into) {
        copy(sent, slot, node, into);
    }

    void received(final int slot, final int node, final NodeCells into) {
        copy(received, slot, node, into);
    }

    private static void copy(final Map<Long, long[]> cells, final int slot, final int node, final NodeCells into) {
        final long[] words = cells.get(key(slot, node));
        into.clear();
        if (words != null) {
            into.set(0, words[0], words[1], words[2]);
        }
    }

    /** The node that the hardware sent to. */
    long peer(final int slot, final int node) {
        final long[] words = sent.get(key(slot, node));
        return words == null ? -1 : words[PEER];
    }

    /** Slots of which the state is known. */
    int stateSlots() {
        return states.size() / nodes;
    }

    /** Names that the registers have as probes: cells held, queue lengths, tokens outstanding of each bucket. */
    List<String> probes() {
        return Arrays.stream(columns).skip(FIRST_REGISTER).map(this::probe).toList();
    }

    private String probe(final String column) {
        final String[] part = column.split("_");
        return switch (part[0]) {
            case "total" -> "cells_held";
            case "fwd" -> "queue" + link(part) + "_length";
            default -> "queue" + link(part) + "_outstanding_" + part[3];
        };
    }

    private int link(final String[] column) {
        final long links = Arrays.stream(columns).filter(each -> each.matches("fwd_0_\\d+")).count();
        return (int) (Integer.parseInt(column[1]) * links + Integer.parseInt(column[2]));
    }

    /** What a probe has to show after a slot. The hardware counts tokens left; a bucket has one at first. */
    long probed(final int slot, final int node, final int probe) {
        final int value = states.get(key(slot, node))[FIRST_REGISTER + probe];
        return columns[FIRST_REGISTER + probe].startsWith("tok") ? 1 - value : value;
    }

    /** What reads the probes of a node, by their order. */
    LongSupplier[] readers(final NodeProbes ours) {
        return probes().stream().map(name -> {
            final Matcher bucket = OF_BUCKET.matcher(name);
            if (!bucket.matches()) {
                final int signal = ours.indexOf(name);
                return (LongSupplier) () -> ours.value(signal);
            }
            final int[] of = IntStream.rangeClosed(1, 3).map(i -> Integer.parseInt(bucket.group(i))).toArray();
            return (LongSupplier) () -> ours.outstanding(of[0], of[1], of[2]);
        }).toArray(LongSupplier[]::new);
    }
}
