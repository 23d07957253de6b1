package dev.skerry.nic.fabric;

/** The laws of one fabric, beside the law of conservation that all obey. One thread, between slots. */
@FunctionalInterface
public interface FabricLaws {
    /**
     * Checks them after a slot.
     *
     * @throws IllegalStateException with the law and the place where it is broken.
     */
    void check(long slot);
}
