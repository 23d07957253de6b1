package dev.skerry.nic.fabric;

/** Invariants of one fabric beyond the law of conservation. One thread, between slots. */
@FunctionalInterface
public interface FabricLaws {
    /**
     * Checks them after a slot.
     *
     * @throws IllegalStateException if one is broken; the message names it and the place.
     */
    void check(long slot);
}
