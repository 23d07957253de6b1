/**
 * The mechanisms of Shale §3.3, each behind {@link dev.skerry.nic.shale.CongestionControl}; {@link
 * dev.skerry.nic.shale.control.Mechanisms} names them (docs/spec/shale.md §7).
 *
 * <p>{@link dev.skerry.nic.shale.control.HopByHop} works over {@code TokenLedger} (tokens spent), {@code OwedTokens}
 * (tokens to return) and {@code ActiveBuckets} (a {@code BucketTable}, or noted in a {@code BucketLog} and then counted
 * by {@code BucketCounts}); {@link dev.skerry.nic.shale.control.TokenAudit} checks its laws over a whole fabric.
 *
 * <p>{@link dev.skerry.nic.shale.control.Priority} orders queues; {@link dev.skerry.nic.shale.control.SenderDriven} and
 * {@link dev.skerry.nic.shale.control.ReceiverDriven} pace flows end to end.
 */
package dev.skerry.nic.shale.control;
