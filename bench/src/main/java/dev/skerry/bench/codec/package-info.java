/** Cell headers and their checks: time per cell. */
package dev.skerry.bench.codec;
