/**
 * The public API of Skerry: build a {@link dev.skerry.Fabric}, run {@link dev.skerry.Flows} across it and read the
 * {@link dev.skerry.Result}; send packets of your program across a {@link dev.skerry.Live} fabric through
 * {@link dev.skerry.QueuePort}s; step a {@link dev.skerry.Model} of a node. Settings have the same names, defaults and
 * checks as the options of the command line.
 *
 * <p>These packages are public, too. Skerry's other packages are internal and may change in any release.
 * <ul>
 *   <li>{@code dev.skerry.spi}: fabrics of your own.</li>
 *   <li>{@link dev.skerry.dataplane.ring}: {@link dev.skerry.dataplane.ring.SpscRing}, a ring of handles between two
 *       threads, and {@link dev.skerry.dataplane.ring.PacketQueue}, a queue of packets from many threads to one.</li>
 *   <li>{@link dev.skerry.dataplane.memory}: {@link dev.skerry.dataplane.memory.Slab}, cells outside the heap, and
 *       {@link dev.skerry.dataplane.memory.FreeList}, which allocates them.</li>
 *   <li>{@link dev.skerry.dataplane.pieo}: {@link dev.skerry.dataplane.pieo.PieoTournament} and
 *       {@link dev.skerry.dataplane.pieo.Pieo}, priority queues of elements that become eligible.</li>
 * </ul>
 *
 * <p>Threads: each class says how many threads may use it. A class that says nothing belongs to one thread at a time.
 *
 * <p>Life cycle: an {@link AutoCloseable} holds memory outside the heap. Close it with a try-with-resources statement,
 * a {@code Live} fabric before its ports. Closing an object again has no effect; other calls then throw
 * {@link IllegalStateException}. Classes of the dataplane use the memory of an arena that you pass and close.
 *
 * <p>Errors are unchecked: {@link IllegalArgumentException} for a wrong setting, file or argument, with the message of
 * the command line; {@link IllegalStateException} for a call in the wrong state or a broken invariant; {@link
 * IndexOutOfBoundsException} for a range outside an array or segment.
 */
package dev.skerry;
