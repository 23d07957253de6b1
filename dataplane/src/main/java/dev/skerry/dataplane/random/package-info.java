/**
 * Chance as a pure function of where and when it is asked for.
 */
package dev.skerry.dataplane.random;
