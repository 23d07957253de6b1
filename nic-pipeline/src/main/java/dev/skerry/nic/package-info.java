/**
 * The pipeline over a bank of nodes, in the order a cell meets it.
 */
package dev.skerry.nic;
