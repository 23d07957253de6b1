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
    exports dev.skerry.nic.fault;
    exports dev.skerry.nic.flow;
    exports dev.skerry.nic.follow;
    exports dev.skerry.nic.model;
    exports dev.skerry.nic.packet;
    exports dev.skerry.nic.shale;
    exports dev.skerry.nic.shale.control;
    exports dev.skerry.nic.shale.follow;
    exports dev.skerry.nic.shale.stage;
    exports dev.skerry.nic.shoal;
    exports dev.skerry.nic.stardust;
    exports dev.skerry.nic.stardust.fabric;
    exports dev.skerry.nic.stardust.switched;
    exports dev.skerry.reference;

    // For images of the state of a model, which read every field.
    opens dev.skerry.nic.count to dev.skerry.dataplane;
    opens dev.skerry.nic.engine to dev.skerry.dataplane;
    opens dev.skerry.nic.fabric to dev.skerry.dataplane;
    opens dev.skerry.nic.fault to dev.skerry.dataplane;
    opens dev.skerry.nic.flow to dev.skerry.dataplane;
    opens dev.skerry.nic.model to dev.skerry.dataplane;
    opens dev.skerry.nic.packet to dev.skerry.dataplane;
    opens dev.skerry.nic.shale to dev.skerry.dataplane;
    opens dev.skerry.nic.shale.control to dev.skerry.dataplane;
    opens dev.skerry.nic.shale.stage to dev.skerry.dataplane;
    opens dev.skerry.nic.shoal to dev.skerry.dataplane;
    opens dev.skerry.nic.stardust to dev.skerry.dataplane;
    opens dev.skerry.nic.stardust.adapter to dev.skerry.dataplane;
    opens dev.skerry.nic.stardust.element to dev.skerry.dataplane;
    opens dev.skerry.nic.stardust.fabric to dev.skerry.dataplane;
    opens dev.skerry.nic.stardust.host to dev.skerry.dataplane;
    opens dev.skerry.nic.stardust.switched to dev.skerry.dataplane;
}
