/**
 * Shale (SIGCOMM'24): h spraying hops, then at most h direct hops, tokens per bucket.
 *
 * <p>{@link dev.skerry.nic.fabric.shale.Shale} is the fabric, {@link dev.skerry.nic.fabric.shale.Route} the word a cell
 * travels with. {@link dev.skerry.nic.fabric.shale.ShaleRouter} and {@code Spray} choose the next hop;
 * {@link dev.skerry.nic.fabric.shale.HopByHop} is congestion control over {@code TokenLedger} (tokens spent),
 * {@code OwedTokens} (tokens to return) and {@code ActiveBuckets};
 * {@link dev.skerry.nic.fabric.shale.TokenAudit} checks its laws over a whole fabric.
 */
package dev.skerry.nic.fabric.shale;
