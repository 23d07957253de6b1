/** What constructors check of their arguments. */
package dev.skerry.dataplane.check;
