/**
 * The mechanisms of Shale §3.3, each behind {@link dev.skerry.nic.shale.CongestionControl}; {@link
 * dev.skerry.nic.shale.control.Mechanisms} names them (docs/spec/shale.md §7).
 *
 * <p>{@link dev.skerry.nic.shale.control.HopByHop} works over {@code TokenLedger} (tokens spent), {@code OwedTokens}
 * (tokens to return) and {@code ActiveBuckets}; {@code TokenAudit} checks its laws over a whole fabric. {@link
 * dev.skerry.nic.shale.control.LimitedControl} puts the limits of a node's hardware before any of them.
 *
 * <p>{@link dev.skerry.nic.shale.control.Priority} orders queues; {@link dev.skerry.nic.shale.control.SenderDriven} and
 * {@link dev.skerry.nic.shale.control.ReceiverDriven} pace flows end to end.
 */
package dev.skerry.nic.shale.control;
