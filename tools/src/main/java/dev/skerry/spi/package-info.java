/**
 * The service interface for adding a fabric: a {@link dev.skerry.spi.FabricKind}, named in a service file, creates a
 * {@link dev.skerry.spi.FabricChoice} from the options of a run. To add only a congestion control to Shale, implement
 * {@link dev.skerry.nic.shale.CongestionControl.ControlFactory} instead.
 *
 * <p>A fabric is built from parts in internal packages, such as banks, queues and counters, which may change in any
 * release. Skerry's modules export these packages only to each other, so compile your fabric on the class path.
 */
package dev.skerry.spi;
