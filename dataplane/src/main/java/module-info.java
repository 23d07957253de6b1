/** Off-heap memory, queues and rings: the parts of a dataplane that know neither headers nor fabrics. */
module dev.skerry.dataplane {
    requires transitive dev.skerry.schedule;

    exports dev.skerry.dataplane.circuit;
    exports dev.skerry.dataplane.memory;
    exports dev.skerry.dataplane.queue;
    exports dev.skerry.dataplane.random;
    exports dev.skerry.dataplane.ring;
}
