/** The pipeline of a bank of NICs, written once, and the fabrics that run on it. */
module dev.skerry.nic {
    requires transitive dev.skerry.codec;
    requires transitive dev.skerry.dataplane;
    requires transitive dev.skerry.schedule;
    requires java.management;

    uses dev.skerry.nic.shale.CongestionControl.ControlFactory;

    exports dev.skerry.nic.count;
    exports dev.skerry.nic.edge;
    exports dev.skerry.nic.engine;
    exports dev.skerry.nic.fabric;
    exports dev.skerry.nic.fattree;
    exports dev.skerry.nic.fault;
    exports dev.skerry.nic.flow;
    exports dev.skerry.nic.follow;
    exports dev.skerry.nic.host;
    exports dev.skerry.nic.model;
    exports dev.skerry.nic.packet;
    exports dev.skerry.nic.shale;
    exports dev.skerry.nic.shale.control;
    exports dev.skerry.nic.shale.follow;
    exports dev.skerry.nic.shale.stage;
    exports dev.skerry.nic.shoal;
    exports dev.skerry.nic.stardust;
    exports dev.skerry.nic.stardust.fabric;
    exports dev.skerry.reference;
}
