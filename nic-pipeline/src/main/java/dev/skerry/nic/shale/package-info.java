/**
 * Shale (SIGCOMM'24): h spraying hops, then at most h direct hops, tokens per bucket.
 *
 * <p>{@link dev.skerry.nic.shale.Shale} is the fabric, {@link dev.skerry.nic.shale.Route} the word a cell
 * travels with. {@link dev.skerry.nic.shale.ShaleRouter} and {@code Spray} choose the next hop;
 * {@link dev.skerry.nic.shale.CongestionControl} is asked what may go; {@code dev.skerry.nic.shale.control} has the
 * mechanisms that answer.
 *
 * <p>Where links may fail (App. A), {@link dev.skerry.nic.shale.LinkFailures} stands before the admission and moves or
 * drops the cells whose way is lost: {@code LinkStates} says which links are up, {@link
 * dev.skerry.nic.shale.PathReachability} what is known of the paths behind them, and {@code FailureNotices} who is to
 * be told. {@code SentLog} remembers what a link sent where a missing cell may be forgiven.
 */
package dev.skerry.nic.shale;
