/**
 * {@code skerry watch}: a page that shows running fabrics. It reads the counters that they publish, as {@code stat}
 * does, so that watching disturbs nothing, and serves them at the local host to who knows a token.
 */
package dev.skerry.tools.watch;
