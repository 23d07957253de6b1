/**
 * Off-heap memory, queues, rings, circuits and the threads that work them: the parts of a dataplane that know neither
 * headers nor fabrics.
 */
@SuppressWarnings("module")
module dev.skerry.dataplane {
    requires transitive dev.skerry.schedule;
    requires transitive org.agrona;

    exports dev.skerry.dataplane.circuit to dev.skerry.nic, dev.skerry.tools;
    exports dev.skerry.dataplane.counter to dev.skerry.nic, dev.skerry.tools;
    exports dev.skerry.dataplane.memory;
    exports dev.skerry.dataplane.pieo;
    exports dev.skerry.dataplane.port to dev.skerry.nic, dev.skerry.tools;
    exports dev.skerry.dataplane.queue to dev.skerry.nic, dev.skerry.tools;
    exports dev.skerry.dataplane.random to dev.skerry.nic, dev.skerry.tools;
    exports dev.skerry.dataplane.ring;
    exports dev.skerry.dataplane.worker to dev.skerry.nic, dev.skerry.tools;
}
