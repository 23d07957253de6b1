package dev.skerry.tools.figure;

import dev.skerry.tools.report.Plot;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** What measuring a figure brought: checks in the order they are printed, plots, and remarks. One thread. */
public final class Findings {
    private final List<Check> checks = new ArrayList<>();
    private final List<Plot> plots = new ArrayList<>();
    private final List<String> remarks = new ArrayList<>();

    /** Nothing yet. */
    public Findings() {
    }

    /** Adds a check. */
    public Findings add(final Check check) {
        checks.add(check);
        return this;
    }

    /** Adds a plot. */
    public Findings add(final Plot plot) {
        plots.add(plot);
        return this;
    }

    /** Adds what a reader must know to judge the values, a sentence: what differs from the paper, for example. */
    public Findings remark(final String sentence) {
        remarks.add(sentence);
        return this;
    }

    /** The checks. */
    public List<Check> checks() {
        return Collections.unmodifiableList(checks);
    }

    /** The plots. */
    public List<Plot> plots() {
        return Collections.unmodifiableList(plots);
    }

    /** The remarks. */
    public List<String> remarks() {
        return Collections.unmodifiableList(remarks);
    }

    /** Whether no value missed its rule. */
    public boolean accepted() {
        return checks.stream().allMatch(Check::accepted);
    }
}
