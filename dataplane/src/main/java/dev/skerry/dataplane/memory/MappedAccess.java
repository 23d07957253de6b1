package dev.skerry.dataplane.memory;

/**
 * Access to mapped memory that another process may cut. HotSpot turns a SIGBUS there into an InternalError. In compiled
 * code it is not thrown at the access but at the next safepoint poll, which may lie behind the catch block.
 */
public final class MappedAccess {
    private MappedAccess() {
    }

    /**
     * Call it last in the try block. A native method's return is a safepoint poll, about 12 ns.
     *
     * @throws InternalError if an access of this thread before it failed.
     */
    public static void confirm() {
        Thread.holdsLock(MappedAccess.class);
    }
}
