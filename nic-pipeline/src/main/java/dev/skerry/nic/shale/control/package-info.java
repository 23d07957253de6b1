/**
 * The mechanisms of Shale §3.3, each a {@link dev.skerry.nic.shale.CongestionControl}, an order of queues or an
 * end-to-end control; {@link dev.skerry.nic.shale.control.Mechanisms} names them (docs/spec/shale.md §7).
 */
package dev.skerry.nic.shale.control;
