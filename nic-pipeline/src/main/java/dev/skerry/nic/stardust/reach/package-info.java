/**
 * How devices find out whom they reach (docs/spec/stardust.md §6). {@code StardustReach} sends and hears {@code
 * ReachMessages}, a {@code ReachTable} is what one device makes of them, and {@code ForwardingTable} says which links
 * lead to an adapter and which of them the next cell takes.
 */
package dev.skerry.nic.stardust.reach;
