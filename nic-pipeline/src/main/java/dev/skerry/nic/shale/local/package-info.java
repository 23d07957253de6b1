/** Which local flow a node of Shale serves next (docs/spec/shale.md §5.3). */
package dev.skerry.nic.shale.local;
