/** Follows nodes of Shoal that somebody else designed, by the rules of release and reports (docs/spec/shoal.md §4). */
package dev.skerry.nic.shoal.follow;
