package dev.skerry.nic.stardust.fabric;

/** How the hosts of a Stardust fabric send the flows they are given. */
public sealed interface HostModel permits HostModel.Ideal, HostModel.Paced, Reno {
    /** The bytes of a flow are at its adapter as soon as it starts: nothing but the fabric is measured. */
    HostModel IDEAL = new Ideal();
    /** A host sends at the rate of its port. */
    HostModel PACED = new Paced();

    /** The bytes of a flow are at its adapter as soon as it starts. */
    record Ideal() implements HostModel {
    }

    /**
     * Packets of a host's flows, one of each queue in turn, come to its adapter at the rate of its port, however long
     * they then wait there. Each pair of hosts must have a queue of its own.
     */
    record Paced() implements HostModel {
    }
}
