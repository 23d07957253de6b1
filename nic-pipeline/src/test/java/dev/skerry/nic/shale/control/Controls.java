package dev.skerry.nic.shale.control;

import dev.skerry.nic.shale.MechanismSet;

import java.util.List;
import java.util.stream.Stream;

/** Mechanisms for tests, with parameters that suit small fabrics and short flows. */
public final class Controls {
    /** Five cells a PULL, a budget of eight: most flows of a test need several. */
    private static final ReceiverDriven RD = new ReceiverDriven(5, 0.3, 8, 0);
    /** Queues so short that many cells are cut. */
    private static final ReceiverDriven NDP = new ReceiverDriven(5, 0.3, 8, 2);

    /** Of links, one of each kind. */
    public static final List<MechanismSet> OF_LINKS = Stream.of("none", "hbh", "spray-short", "hbh+spray",
        "hbh+spray-bucket", "priority", "priority+hbh+spray-short").map(Mechanisms::of).toList();
    /** End-to-end congestion control, alone and together with that of links. */
    public static final List<MechanismSet> END_TO_END = List.of(Mechanisms.of("rd").with(RD),
        Mechanisms.of("spray-short+rd").with(RD), Mechanisms.of("hbh+rd").with(RD),
        Mechanisms.of("hbh+spray-bucket+rd").with(RD), Mechanisms.of("ndp").with(NDP),
        Mechanisms.of("spray-short+ndp").with(NDP), Mechanisms.of("hbh+ndp").with(NDP));
    /** Flows that share the rate of their destination, alone and with all else. */
    public static final List<MechanismSet> ISD = List.of(Mechanisms.of("isd"),
        Mechanisms.of("isd+hbh+spray-short+priority"), Mechanisms.of("isd+rd").with(
        SenderDriven.PAPER.with(RD)), Mechanisms.of("isd+ndp+hbh+spray").with(
        SenderDriven.PAPER.with(NDP)));
    public static final List<MechanismSet> ALL = Stream.of(OF_LINKS, END_TO_END, ISD).flatMap(List::stream).toList();

    private Controls() {
    }
}
