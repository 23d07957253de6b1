/**
 * The bytes of a cell, as static accessors over a memory segment and an offset.
 */
package dev.skerry.codec;
