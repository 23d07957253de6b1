package dev.skerry.nic.fabric;

import dev.skerry.dataplane.memory.StateAccess;

import java.lang.reflect.AccessibleObject;

/** Access to the state of a model of this module, whose fields only this module's own code can reach. */
@FunctionalInterface
public interface PipelineState extends StateAccess {
    /** Marks an object that follows from the fabric alone and never changes, so that it is not state. */
    interface Constant {
    }

    @Override
    default void open(final AccessibleObject member) {
        member.setAccessible(true);
    }
}
