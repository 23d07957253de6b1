/**
 * Transport of cells over the links between devices (docs/spec/stardust.md §4, §6). {@code StardustReach} maintains
 * each device's reachability table, and {@code ForwardingTable} selects a link for each cell, in turn by
 * {@code SprayOrder}. {@code PortArrivals} finds the ports at which cells arrive over {@code Pipes};
 * {@code ElementIntake} receives them, except those that {@code PortFaults} loses. {@code LinkForwarder} queues each
 * cell in front of its link and sends one per link and slot; {@code Backpressure} pauses links whose queues must not
 * overflow.
 */
package dev.skerry.nic.stardust.element;
