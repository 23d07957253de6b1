/** Programs on top of the pipeline: the command line, workloads, reports. */
module dev.skerry.tools {
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
        dev.skerry.tools.run.shale.ShaleKind, dev.skerry.tools.run.stardust.StardustKind;
    provides dev.skerry.tools.score.FollowedKind with dev.skerry.tools.score.shale.FollowedShale,
        dev.skerry.tools.score.shoal.FollowedShoal;

    exports dev.skerry.spi;
    exports dev.skerry.tools.input;
    exports dev.skerry.tools.members;
    exports dev.skerry.tools.plot;
    exports dev.skerry.tools.port;
    exports dev.skerry.tools.report;
    exports dev.skerry.tools.run;
    exports dev.skerry.tools.score;
    exports dev.skerry.tools.trace;
    exports dev.skerry.tools.traffic;

    // picocli reads and sets the fields of options.
    opens dev.skerry.spi to info.picocli;
    opens dev.skerry.tools.command to info.picocli;
    opens dev.skerry.tools.compare to info.picocli;
    opens dev.skerry.tools.cosim to info.picocli;
    opens dev.skerry.tools.ctl to info.picocli;
    opens dev.skerry.tools.execution to info.picocli;
    opens dev.skerry.tools.input to info.picocli;
    opens dev.skerry.tools.live to info.picocli;
    opens dev.skerry.tools.members to info.picocli;
    opens dev.skerry.tools.run to info.picocli;
    opens dev.skerry.tools.run.shale to info.picocli;
    opens dev.skerry.tools.run.shoal to info.picocli;
    opens dev.skerry.tools.run.stardust to info.picocli;
    opens dev.skerry.tools.score to info.picocli;
    opens dev.skerry.tools.score.shale to info.picocli;
    opens dev.skerry.tools.score.shoal to info.picocli;
    opens dev.skerry.tools.stat to info.picocli;
    opens dev.skerry.tools.sweep to info.picocli;
    opens dev.skerry.tools.traffic to info.picocli;
}
