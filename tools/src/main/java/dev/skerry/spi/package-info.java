/**
 * The interface that a fabric of your own implements: a {@link dev.skerry.spi.FabricKind}, named in a service file,
 * makes a {@link dev.skerry.spi.FabricChoice} from the options of a run. A congestion control of Shale is a service of
 * its own, {@link dev.skerry.nic.shale.CongestionControl.ControlFactory}.
 *
 * <p>A fabric is built from parts in internal packages, such as banks, queues and counters, which may change in any
 * release. Skerry's modules export these to each other only, so compile your fabric on the class path.
 */
package dev.skerry.spi;
