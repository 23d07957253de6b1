package dev.skerry.dataplane.memory;

/**
 * Access to mapped memory that another process may truncate. HotSpot turns a SIGBUS there into an InternalError. In
 * compiled code it is not thrown at the access but at the next safepoint poll, which may be after the catch block.
 */
public final class MappedAccess {
    private MappedAccess() {
    }

    /**
     * Forces a pending error to be thrown; call it last in the try block. The return from a native method is a
     * safepoint poll and takes about 12 ns.
     *
     * @throws InternalError if an earlier access of this thread failed.
     */
    public static void confirm() {
        Thread.holdsLock(MappedAccess.class);
    }
}
