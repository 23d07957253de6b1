/** Programs on top of the pipeline: the command line, workloads, reports. */
module dev.skerry.tools {
    requires transitive dev.skerry.nic;
    requires transitive HdrHistogram;
    requires info.picocli;
    requires java.management;
    requires java.xml;
    requires jdk.management;
    requires org.agrona;

    exports dev.skerry.tools;
    exports dev.skerry.tools.port;
    exports dev.skerry.tools.report;
    exports dev.skerry.tools.traffic;

    opens dev.skerry.tools to info.picocli;
}
