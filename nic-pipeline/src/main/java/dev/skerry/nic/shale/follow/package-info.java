/**
 * Follows nodes of Shale that somebody else designed: {@link dev.skerry.nic.shale.follow.NodeFollower} by the laws of
 * tokens and sprays (docs/spec/shale.md §5), {@link dev.skerry.nic.shale.follow.FailureFollower} amid failures (§8).
 */
package dev.skerry.nic.shale.follow;
