/**
 * Programs on top of the pipeline: the command line, workloads, reports. It is open because picocli reads and sets the
 * fields of options in most of its packages.
 */
open module dev.skerry.tools {
    requires transitive dev.skerry.nic;
    requires transitive HdrHistogram;
    requires com.fasterxml.jackson.core;
    requires transitive info.picocli;
    requires java.management;
    requires java.xml;
    requires jdk.httpserver;
    requires jdk.management;
    requires jdk.net;
    requires jdk.unsupported;
    requires org.agrona;

    uses dev.skerry.spi.FabricKind;
    uses dev.skerry.tools.input.PartCommand;
    uses dev.skerry.tools.members.MemberTransport;
    uses dev.skerry.tools.report.TableFormat;
    uses dev.skerry.tools.score.FollowedKind;

    provides dev.skerry.spi.FabricKind with dev.skerry.tools.run.shoal.ShoalKind,
        dev.skerry.tools.run.shale.ShaleKind, dev.skerry.tools.run.stardust.StardustKind,
        dev.skerry.tools.run.fattree.FatTreeKind;
    provides dev.skerry.tools.score.FollowedKind with dev.skerry.tools.score.shale.FollowedShale,
        dev.skerry.tools.score.shoal.FollowedShoal;

    exports dev.skerry;
    exports dev.skerry.spi;
}
