/**
 * What a fabric of one's own implements and is given: a {@link dev.skerry.spi.FabricKind}, named in a service file,
 * makes a {@link dev.skerry.spi.FabricChoice} of the options of a run. The tools know no fabric but by these two. A
 * congestion control of Shale is a service of its own,
 * {@link dev.skerry.nic.shale.CongestionControl.ControlFactory}.
 */
package dev.skerry.spi;
