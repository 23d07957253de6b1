/**
 * {@code skerry live}: carries packets of real ports across a fabric. {@link dev.skerry.tools.live.LiveCommand} parses
 * the options, opens the ports and prints the report; {@code LiveRun} supervises a run. Packets are forwarded by MAC
 * address or by a fixed map of ports. Counters are published in a file that {@code skerry stat} reads.
 */
package dev.skerry.tools.live;
