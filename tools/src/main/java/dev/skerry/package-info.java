/**
 * The public API of Skerry: build a {@link dev.skerry.Fabric}, run {@link dev.skerry.Flows} across it and read the
 * {@link dev.skerry.Result}. Settings have the same names, defaults and checks as the options of the command line.
 * Classes are not thread-safe unless their documentation says otherwise. Close every {@link AutoCloseable}, because it
 * holds memory outside the heap.
 *
 * <p>Errors are unchecked: {@link IllegalArgumentException} for a wrong setting or argument, with the message of the
 * command line; {@link IllegalStateException} for a call in the wrong state or a broken invariant.
 */
package dev.skerry;
