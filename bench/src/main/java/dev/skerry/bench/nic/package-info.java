/** Parts of the pipeline alone: tokens, packets in and out of cells. */
package dev.skerry.bench.nic;
