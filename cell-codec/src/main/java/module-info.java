/** The bytes of a cell: headers, checks and the arithmetic between packets and cells. */
module dev.skerry.codec {
    exports dev.skerry.codec;
    exports dev.skerry.codec.header;
}
