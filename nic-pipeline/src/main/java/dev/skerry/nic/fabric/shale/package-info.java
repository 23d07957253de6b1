/**
 * Shale: h spraying hops, then at most h direct hops, tokens per bucket.
 */
package dev.skerry.nic.fabric.shale;
