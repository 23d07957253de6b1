/** The pipeline of a bank of NICs, written once, and what the fabrics put into it. */
module dev.skerry.nic {
    requires transitive dev.skerry.codec;
    requires transitive dev.skerry.dataplane;
    requires transitive dev.skerry.schedule;

    exports dev.skerry.nic;
    exports dev.skerry.nic.fabric;
    exports dev.skerry.nic.fabric.shale;
    exports dev.skerry.nic.fabric.shoal;
    exports dev.skerry.nic.fault;
    exports dev.skerry.nic.packet;
}
