/**
 * {@code skerry live}: packets of real ports across a fabric. {@link dev.skerry.tools.live.LiveCommand} reads the
 * options, opens the ports and prints the end; {@code LiveRun} watches over one run. Packets find their way by MAC
 * address or by a map of ports; counters are put into a file for {@code skerry stat}.
 */
package dev.skerry.tools.live;
