/**
 * Shale (SIGCOMM'24): h spraying hops, then at most h direct hops, tokens per bucket.
 *
 * <p>{@link dev.skerry.nic.shale.Shale} is the fabric, {@link dev.skerry.nic.shale.Route} the word a cell
 * travels with. {@link dev.skerry.nic.shale.ShaleRouter} and {@code Spray} choose the next hop;
 * {@link dev.skerry.nic.shale.HopByHop} is congestion control over {@code TokenLedger} (tokens spent),
 * {@code OwedTokens} (tokens to return) and {@code ActiveBuckets} (a {@code BucketTable}, or noted in a
 * {@code BucketLog} and then counted by {@code BucketCounts});
 * {@link dev.skerry.nic.shale.TokenAudit} checks its laws over a whole fabric.
 *
 * <p>Where links may fail (App. A), {@link dev.skerry.nic.shale.LinkFailureAdmission} stands before the admission:
 * {@code LinkStates} says which links are up, {@link dev.skerry.nic.shale.PathReachability} what is known of the
 * paths behind them ({@code LinkRecords}, {@code LostPaths}) and who is to be told by {@code FailureNotices}, and
 * {@link dev.skerry.nic.shale.Detours} moves or drops the cells whose way is lost. {@code SentLog} remembers
 * what a link sent where a missing cell may be forgiven.
 */
package dev.skerry.nic.shale;
