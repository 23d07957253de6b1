package dev.skerry.dataplane.ring;

/**
 * 128 bytes ahead of an endpoint's own fields. The two endpoints of a ring are small and made together, so the
 * collector might put fields written by one thread on the cache line of fields read by the other. HotSpot places
 * superclass fields first; a pad in front of both endpoints keeps the two apart in either order. The int fills the gap
 * behind the object header, where a field of the subclass would otherwise go.
 */
abstract sealed class EndpointPad
    permits SpscRing.Producer, SpscRing.Consumer, LinkBundle.Producer, LinkBundle.Consumer {
    int padHeader;
    long pad0;
    long pad1;
    long pad2;
    long pad3;
    long pad4;
    long pad5;
    long pad6;
    long pad7;
    long pad8;
    long pad9;
    long pad10;
    long pad11;
    long pad12;
    long pad13;
    long pad14;
    long pad15;
}
