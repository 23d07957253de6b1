/** Cell headers and their checks: time for one cell. */
package dev.skerry.bench.codec;
