/** The pipeline of a bank of NICs, written once, and what the fabrics put into it. */
module dev.skerry.nic {
    requires transitive dev.skerry.codec;
    requires transitive dev.skerry.dataplane;
    requires transitive dev.skerry.schedule;

    exports dev.skerry.nic;
    exports dev.skerry.nic.edge;
    exports dev.skerry.nic.fabric;
    exports dev.skerry.nic.fabric.shale;
    exports dev.skerry.nic.fabric.shoal;
    exports dev.skerry.nic.fabric.stardust;
    exports dev.skerry.nic.fault;
    exports dev.skerry.nic.packet;

    // For images of the state of a model, which read every field.
    opens dev.skerry.nic to dev.skerry.dataplane;
    opens dev.skerry.nic.fabric.shale to dev.skerry.dataplane;
    opens dev.skerry.nic.fabric.shoal to dev.skerry.dataplane;
}
