package dev.skerry.nic.packet;

/**
 * The record of a stream in a {@link ReorderWindow}.
 *
 * <pre>
 *   0          8     16          24         32     36      40        44
 *   +----------+-----+-----------+----------+------+-------+---------+---+
 *   | expected | end | far count | far slot | unit | order | waiting |   |   64 bytes
 *   +----------+-----+-----------+----------+------+-------+---------+---+
 *                                             unit and order: the ring, see WindowRings
 * </pre>
 */
final class WindowLayout {
    static final int EXPECTED = 0;
    static final int END = 8;
    static final int FAR_COUNT = 16;
    static final int FAR_SLOT = 24;
    static final int UNIT = 32;
    static final int ORDER = 36;
    static final int WAITING = 40;
    static final int STREAM_SHIFT = 6;

    private WindowLayout() {
    }
}
