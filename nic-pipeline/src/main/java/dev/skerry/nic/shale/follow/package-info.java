/**
 * Followers of Shale nodes of other designs: {@link dev.skerry.nic.shale.follow.NodeFollower} checks the laws of tokens
 * and sprays (docs/spec/shale.md §5), {@link dev.skerry.nic.shale.follow.FailureFollower} checks nodes that handle
 * failures (§8).
 */
package dev.skerry.nic.shale.follow;
