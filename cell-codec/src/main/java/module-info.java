/** The bytes of a cell: headers, checks and the arithmetic between packets and cells. */
@SuppressWarnings("module")
module dev.skerry.codec {
    exports dev.skerry.codec to dev.skerry.nic, dev.skerry.tools;
    exports dev.skerry.codec.header to dev.skerry.nic, dev.skerry.tools;
}
