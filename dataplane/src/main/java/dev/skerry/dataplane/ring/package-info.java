/**
 * Rings between two threads.
 */
package dev.skerry.dataplane.ring;
