/**
 * Off-heap memory, queues, rings, circuits and the threads that work them: the parts of a dataplane that know neither
 * headers nor fabrics.
 */
module dev.skerry.dataplane {
    requires transitive dev.skerry.schedule;
    requires transitive org.agrona;

    exports dev.skerry.dataplane.circuit;
    exports dev.skerry.dataplane.counter;
    exports dev.skerry.dataplane.memory;
    exports dev.skerry.dataplane.port;
    exports dev.skerry.dataplane.queue;
    exports dev.skerry.dataplane.random;
    exports dev.skerry.dataplane.ring;
    exports dev.skerry.dataplane.worker;
}
