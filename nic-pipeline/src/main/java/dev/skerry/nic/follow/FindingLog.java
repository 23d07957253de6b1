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
 * Findings in the order they arise, so that a cause stands before its symptoms. A law that is broken again at the same
 * node, link and bucket is counted and not listed. Beyond a limit, findings are only counted. One thread.
 */
public final class FindingLog {
    private final int limit;
    private final List<Finding> findings = new ArrayList<>();
    private final Map<Place, Integer> index = new HashMap<>();
    private final List<long[]> repeats = new ArrayList<>();
    private final long[] byLaw = new long[Law.values().length];
    private long total;
    /** The total when {@link #after} was asked, and the first finding since. */
    private long asked;
    private Finding next;

    private record Place(Law law, int node, int link, Finding.Bucket bucket) {
    }

    /**
     * An empty log.
     *
     * @param limit most findings that are listed, at least 1.
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

    /** Forgets all findings. */
    public void forget() {
        findings.clear();
        index.clear();
        repeats.clear();
        Arrays.fill(byLaw, 0);
        total = 0;
        asked = 0;
        next = null;
    }

    /** Whether no law was broken. */
    public boolean none() {
        return total == 0;
    }

    /** All findings, repeated ones and those beyond the limit too. */
    public long total() {
        return total;
    }

    /** All findings of a law. */
    public long total(final Law law) {
        return byLaw[law.ordinal()];
    }

    /** The listed findings, the first first. */
    public List<Finding> list() {
        return List.copyOf(findings);
    }

    /**
     * The first finding since the last call, listed or not; null if there is none.
     *
     * @param before the total at the last call; with another one the finding is not known.
     */
    public Finding after(final long before) {
        final Finding found = before == asked && total > before ? next : null;
        asked = total;
        next = null;
        return found;
    }

    /** How often a listed finding arose; beyond the limit nothing is added. */
    public long times(final int listed) {
        return repeats.get(listed)[0];
    }

    /** The slot in which a listed finding arose last. */
    public long last(final int listed) {
        return repeats.get(listed)[1];
    }

    /** The listed findings of a law, a line each, with the number of their repeats. */
    public List<String> lines(final Law law) {
        return IntStream.range(0, findings.size()).filter(i -> findings.get(i).law() == law).mapToObj(this::line)
            .toList();
    }

    private String line(final int i) {
        return findings.get(i) + (times(i) == 1 ? "" : " (" + times(i) + " times, last in slot " + last(i) + ")");
    }

    /** One listed finding a line, the first first, with the number of its repeats. */
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
