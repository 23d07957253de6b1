/**
 * The public API of Skerry: build a {@link dev.skerry.Fabric}, run {@link dev.skerry.Flows} across it and read the
 * {@link dev.skerry.Result}. Settings have the names, defaults and checks of the command line's options. Objects belong
 * to the thread that created them unless they say otherwise, and what implements {@link AutoCloseable} holds memory off
 * the heap until it is closed.
 *
 * <p>Errors are unchecked: {@link IllegalArgumentException} for a wrong setting or argument, with the message of the
 * command line; {@link IllegalStateException} for a call in the wrong state or a broken invariant.
 */
package dev.skerry;
