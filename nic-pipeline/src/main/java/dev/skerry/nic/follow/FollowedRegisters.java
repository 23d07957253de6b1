package dev.skerry.nic.follow;

import dev.skerry.nic.fabric.NodeRegisters;
import dev.skerry.nic.shale.Route;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The registers of a followed node as it was when they were asked for. */
final class FollowedRegisters implements NodeRegisters {
    private final Map<String, long[]> words = new LinkedHashMap<>();

    FollowedRegisters(final FollowedNode state, final SendCheck sends) {
        for (int flow = 0; flow < state.names.flows(); flow++) {
            if (sends.next(flow) > 0) {
                words.put("flow" + flow + "_sent", new long[] {sends.next(flow)});
            }
        }
        for (int link = 0; link < state.schedule.epochSlots(); link++) {
            words.put("queue" + link + "_cells", cells(state, link));
            words.put("queue" + link + "_owed_tokens", state.tokens.owed(link));
            for (int destination = 0; destination < state.shale.nodes(); destination++) {
                for (int sprays = 0; sprays < state.schedule.phases(); sprays++) {
                    words.put("queue" + link + "_outstanding_d" + destination + "n" + sprays,
                        new long[] {state.tokens.spent(link, Route.bucket(destination, sprays))});
                }
            }
        }
    }

    private static long[] cells(final FollowedNode state, final int link) {
        final List<Long> cells = new ArrayList<>();
        for (HeldCell at = state.held.first(link / state.schedule.linksPerPhase()); at != null; at = at.after) {
            if (at.link == link) {
                cells.addAll(List.of(at.cell, (long) at.next, (long) at.owedLink, (long) at.owedBucket, at.sent));
            }
        }
        return cells.stream().mapToLong(Long::longValue).toArray();
    }

    @Override
    public List<String> names() {
        return List.copyOf(words.keySet());
    }

    @Override
    public long[] get(final String name) {
        final long[] found = words.get(name);
        if (found == null) {
            throw new IllegalArgumentException("no such register: name=" + name);
        }
        return found.clone();
    }

    @Override
    public void set(final String name, final long... values) {
        throw new IllegalArgumentException("a follower learns from what it sees: name=" + name);
    }

    @Override
    public void begin(final long slot) {
        throw new IllegalArgumentException("a follower begins at a slot by beginAt: slot=" + slot);
    }
}
