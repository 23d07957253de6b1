/**
 * Shale (SIGCOMM'24): h spraying hops, then at most h direct hops, tokens per bucket.
 * {@link dev.skerry.nic.shale.Shale} is the fabric, {@link dev.skerry.nic.shale.Route} the word of a cell.
 * {@link dev.skerry.nic.shale.ShaleRouter} and {@code Spray} choose the next hop;
 * {@link dev.skerry.nic.shale.CongestionControl} decides which cells may be sent. If links may fail (App. A),
 * {@link dev.skerry.nic.shale.LinkFailures} takes precedence and moves or drops the cells whose path is lost.
 */
package dev.skerry.nic.shale;
