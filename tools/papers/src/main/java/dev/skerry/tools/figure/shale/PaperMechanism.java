package dev.skerry.tools.figure.shale;

import dev.skerry.nic.shale.MechanismSet;
import dev.skerry.nic.shale.control.Mechanisms;
import dev.skerry.tools.figure.Effort.Choice;
import dev.skerry.tools.figure.Effort.Extent;

import java.util.List;
import java.util.Map;

/**
 * Mechanisms that Shale §5.3 compares, in the order of the tables of docs/spec/shale.md §10.4; HBH_SPRAY_2, which has
 * two tokens for first hops, is not among the paper's eight.
 */
enum PaperMechanism {
    NONE("none", "none", 42), SPRAY("spray-short", "spray-short", 43), HBH("hbh", "hop-by-hop", 73),
    HBH_SPRAY("hbh+spray", "HBH+spray", 78), HBH_SPRAY_2("hbh+spray", "HBH+spray, T_F = 2", 78),
    PRIORITY("priority", "priority", 59), ISD("isd", "ISD", 42), NDP("ndp", "NDP", 49), RD("rd", "RD", 46);

    /** The paper's eight, in the order of its legends. */
    static final List<PaperMechanism> EIGHT = List.of(NONE, PRIORITY, ISD, RD, NDP, SPRAY, HBH, HBH_SPRAY);

    /** What a user may choose of a figure that has them with h = 2 and 4. */
    static final Map<Choice, List<String>> CHOICES = Map.of(Choice.SLOTS, List.of(),
        Choice.PHASES, List.of("2", "4"),
        Choice.MECHANISMS, EIGHT.stream().map(PaperMechanism::toString).toList());

    private final String cc;
    private final String inPaper;
    private final double cost;

    PaperMechanism(final String cc, final String inPaper, final double cost) {
        this.cc = cc;
        this.inPaper = inPaper;
        this.cost = cost;
    }

    /**
     * What a run of each takes beside the others: about the ns of a node-slot, by which progress goes
     * (bench/results/2026-11-26-figures.md).
     */
    static double[] costs(final List<PaperMechanism> all) {
        return all.stream().mapToDouble(of -> of.cost).toArray();
    }

    /** Its name in the paper's legends. */
    String inPaper() {
        return inPaper;
    }

    /** The paper's that an extent has. */
    static List<PaperMechanism> of(final Extent extent) {
        return EIGHT.stream().filter(each -> extent.has(each.cc)).toList();
    }

    /** What the nodes of a fabric run. */
    MechanismSet set() {
        return Mechanisms.of(cc);
    }

    /** T_F. */
    int firstHopTokens() {
        return this == HBH_SPRAY_2 ? 2 : 1;
    }

    @Override
    public String toString() {
        return this == HBH_SPRAY_2 ? cc + ", T_F = 2" : cc;
    }
}
