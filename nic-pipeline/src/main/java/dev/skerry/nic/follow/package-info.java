/**
 * Common parts of the followers, which check a device of another design: a follower adopts every legal choice of the
 * device, reports every violation of a law as a finding, and continues (docs/rtl.md).
 */
package dev.skerry.nic.follow;
