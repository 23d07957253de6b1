/** The pipeline of a bank of NICs, written once, and the fabrics that run on it. */
@SuppressWarnings("module")
module dev.skerry.nic {
    requires transitive dev.skerry.codec;
    requires transitive dev.skerry.dataplane;
    requires transitive dev.skerry.schedule;
    requires java.management;

    uses dev.skerry.nic.shale.CongestionControl.ControlFactory;

    exports dev.skerry.nic.count to dev.skerry.tools;
    exports dev.skerry.nic.edge to dev.skerry.tools;
    exports dev.skerry.nic.engine to dev.skerry.tools;
    exports dev.skerry.nic.fabric to dev.skerry.tools;
    exports dev.skerry.nic.fattree to dev.skerry.tools;
    exports dev.skerry.nic.fault to dev.skerry.tools;
    exports dev.skerry.nic.flow to dev.skerry.tools;
    exports dev.skerry.nic.follow to dev.skerry.tools;
    exports dev.skerry.nic.host to dev.skerry.tools;
    exports dev.skerry.nic.model to dev.skerry.tools;
    exports dev.skerry.nic.packet to dev.skerry.tools;
    exports dev.skerry.nic.shale to dev.skerry.tools;
    exports dev.skerry.nic.shale.control to dev.skerry.tools;
    exports dev.skerry.nic.shale.follow to dev.skerry.tools;
    exports dev.skerry.nic.shale.stage to dev.skerry.tools;
    exports dev.skerry.nic.shoal to dev.skerry.tools;
    exports dev.skerry.nic.stardust to dev.skerry.tools;
    exports dev.skerry.nic.stardust.fabric to dev.skerry.tools;
    exports dev.skerry.reference to dev.skerry.tools;
}
