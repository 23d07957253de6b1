package dev.skerry.nic.follow;

import dev.skerry.nic.follow.Finding.Law;
import dev.skerry.schedule.check.Bounds;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Findings in the order in which they arise, so that a cause precedes its symptoms. Repeated violations of a law at the
 * same node, link and bucket are counted but not listed. Beyond a limit, findings are only counted. Not thread-safe.
 */
public final class FindingLog {
    private final int limit;
    private final List<Finding> findings = new ArrayList<>();
    private final Map<Place, Integer> index = new HashMap<>();
    private final List<long[]> repeats = new ArrayList<>();
    private final long[] byLaw = new long[Law.values().length];
    private long total;
    /** Total at the last call of {@link #after}, and the first finding since then. */
    private long asked;
    private Finding next;

    private record Place(Law law, int node, int link, Finding.Bucket bucket) {
    }

    /**
     * Creates an empty log.
     *
     * @param limit maximum number of findings that are listed, at least 1.
     */
    public FindingLog(final int limit) {
        Bounds.atLeast("limit", limit, 1);
        this.limit = limit;
    }

    /** Adds a finding. */
    public void add(final Finding finding) {
        byLaw[finding.law().ordinal()]++;
        if (total++ == asked) {
            next = finding;
        }
        final Place place = new Place(finding.law(), finding.node(), finding.link(), finding.bucket());
        final Integer before = index.get(place);
        if (before != null) {
            final long[] repeated = repeats.get(before);
            repeated[0]++;
            repeated[1] = finding.slot();
        } else if (findings.size() < limit) {
            index.put(place, findings.size());
            findings.add(finding);
            repeats.add(new long[] {1, finding.slot()});
        }
    }

    /** Removes all findings. */
    public void forget() {
        findings.clear();
        index.clear();
        repeats.clear();
        Arrays.fill(byLaw, 0);
        total = 0;
        asked = 0;
        next = null;
    }

    /** Whether there are no findings. */
    public boolean none() {
        return total == 0;
    }

    /** Total number of findings, including repeated ones and those beyond the limit. */
    public long total() {
        return total;
    }

    /** Total number of findings of a law. */
    public long total(final Law law) {
        return byLaw[law.ordinal()];
    }

    /** Returns the listed findings, oldest first. */
    public List<Finding> list() {
        return List.copyOf(findings);
    }

    /**
     * Returns the first finding since the last call, listed or not; null if there is none.
     *
     * @param before total at the last call; with any other value the result is null.
     */
    public Finding after(final long before) {
        final Finding found = before == asked && total > before ? next : null;
        asked = total;
        next = null;
        return found;
    }

    /** Number of occurrences of a listed finding. */
    public long times(final int listed) {
        return repeats.get(listed)[0];
    }

    /** Last slot in which a listed finding occurred. */
    public long last(final int listed) {
        return repeats.get(listed)[1];
    }

    /** Returns the listed findings of a law, one per line, with their number of occurrences. */
    public List<String> lines(final Law law) {
        return IntStream.range(0, findings.size()).filter(i -> findings.get(i).law() == law).mapToObj(this::line)
            .toList();
    }

    private String line(final int i) {
        return findings.get(i) + (times(i) == 1 ? "" : " (" + times(i) + " times, last in slot " + last(i) + ")");
    }

    /** Returns the listed findings, one per line, oldest first, with their number of occurrences. */
    public String text() {
        final StringBuilder text = new StringBuilder();
        long listed = 0;
        for (int i = 0; i < findings.size(); i++) {
            listed += times(i);
            text.append(i == 0 ? "first: " : "then:  ").append(line(i)).append('\n');
        }
        if (listed < total) {
            text.append(total - listed).append(" more beyond the limit of ").append(limit).append('\n');
        }
        return text.toString();
    }
}
