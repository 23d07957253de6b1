/**
 * The only place memory comes from.
 */
package dev.skerry.dataplane.memory;
