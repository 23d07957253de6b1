/**
 * {@code skerry live}: packets of real ports cross a fabric. {@link dev.skerry.tools.live.LiveCommand} parses the
 * options, opens the ports and prints the report; {@code LiveRun} supervises one run. Packets are forwarded by MAC
 * address or by a fixed map of ports. Counters go to a file that {@code skerry stat} reads.
 */
package dev.skerry.tools.live;
