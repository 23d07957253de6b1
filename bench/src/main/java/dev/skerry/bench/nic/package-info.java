/** Parts of the pipeline on their own: tokens, and packets to cells and back. */
package dev.skerry.bench.nic;
