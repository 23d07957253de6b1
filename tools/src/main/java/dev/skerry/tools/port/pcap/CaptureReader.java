package dev.skerry.tools.port.pcap;

import dev.skerry.dataplane.memory.MappedAccess;
import dev.skerry.tools.input.InputException;

import java.io.IOException;
import java.nio.ByteOrder;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * Reads the packets of a capture: pcap or pcapng, plain or gzip. The content decides the format, never the name.
 * Delivers every packet before the first damage. One thread; no allocation per packet.
 */
final class CaptureReader implements AutoCloseable {
    private static final int ZSTD_MAGIC = 0xFD2FB528;
    private static final int LZ4_MAGIC = 0x184D2204;
    private static final int XZ_MAGIC = 0x587A37FD;
    private static final int BZIP2_MAGIC = 0x685A42;

    private final Path file;
    private final CaptureBytes bytes;
    private final CapturedPacket packet = new CapturedPacket();
    private CaptureRecords records;
    private String failure = "";

    /**
     * Opens a file and reads its header; that of a FIFO when it has come.
     *
     * @param once whether it is read only once.
     * @throws InputException if it cannot be read, or is no capture of Ethernet frames.
     */
    CaptureReader(final Path file, final boolean once) {
        this.file = file;
        if (Files.isDirectory(file)) {
            throw new InputException(PcapSettings.KIND, file.toString(), "is not a regular file",
                "give a file that a capture was saved to, or a FIFO");
        }
        if (!once && Files.exists(file) && !Files.isRegularFile(file)) {
            throw new InputException(PcapSettings.KIND, file.toString(), "can be read only once", "leave loops out");
        }
        try {
            this.bytes = new CaptureBytes(file);
        } catch (final NoSuchFileException e) {
            throw new InputException(PcapSettings.KIND, file.toString(), "there is no such file",
                "give an existing one, or pcap:out=FILE to write one");
        } catch (final AccessDeniedException e) {
            throw new InputException(PcapSettings.KIND, file.toString(), "may not be read", "change its permissions");
        } catch (final IOException e) {
            throw new InputException(PcapSettings.KIND, file.toString(), "cannot be read (" + e.getMessage() + ")",
                "check the file and its disk");
        }
        try {
            if (!bytes.isPending()) {
                records = open();
                MappedAccess.confirm();
            }
        } catch (final CaptureDamage e) {
            bytes.close();
            throw line(e);
        } catch (final InputException | InternalError e) {
            bytes.close();
            throw e;
        }
    }

    private CaptureRecords open() throws CaptureDamage {
        final long there = bytes.ready(Integer.BYTES);
        if (there < Integer.BYTES) {
            throw CaptureRecords.cut(bytes, "its header", there, PcapRecords.FILE_HEADER);
        }
        bytes.order(ByteOrder.LITTLE_ENDIAN);
        final int magic = (int) bytes.u32(0);
        if (PcapRecords.isMagic(magic) || PcapRecords.isMagic(Integer.reverseBytes(magic))) {
            final PcapRecords classic = new PcapRecords(bytes);
            if (classic.linkType() != CapturedPacket.ETHERNET) {
                throw new InputException(PcapSettings.KIND, file.toString(), "its packets are of link type "
                    + classic.linkType() + " and not Ethernet", "capture at an Ethernet interface, or convert it: for "
                    + "some types tcprewrite --dlt=enet can");
            }
            return classic;
        }
        if (magic == PcapngBlocks.SECTION) {
            return new PcapngBlocks(bytes);
        }
        final String packer = switch (magic) {
            case ZSTD_MAGIC -> "zstd";
            case LZ4_MAGIC -> "lz4";
            case XZ_MAGIC -> "xz";
            default -> (magic & 0xFF_FFFF) == BZIP2_MAGIC ? "bzip2" : "";
        };
        if (!packer.isEmpty()) {
            throw new InputException(PcapSettings.KIND, file.toString(), "is packed with " + packer,
                "unpack it or pack it with gzip");
        }
        throw new InputException(PcapSettings.KIND, file.toString(), String.format(
            "is neither pcap nor pcapng, it begins with %08x", Integer.reverseBytes(magic)),
            "convert it with editcap -F pcapng");
    }

    /**
     * Moves to the next packet. Returns false at the end, at damage, which {@link #failure} describes, or where {@link
     * #isPending} says that the next packet has not come yet.
     */
    boolean next() {
        if (!failure.isEmpty()) {
            return false;
        }
        try {
            if (records == null) {
                if (bytes.ready(PcapRecords.FILE_HEADER) < PcapRecords.FILE_HEADER && bytes.isPending()) {
                    return false;
                }
                records = open();
            }
            return records.next(packet);
        } catch (final CaptureDamage e) {
            failure = line(e).getMessage();
        } catch (final InputException e) {
            failure = e.getMessage();
        }
        return false;
    }

    /** Whether a FIFO may bring more; then there was no packet only for now. */
    boolean isPending() {
        return failure.isEmpty() && bytes.isPending();
    }

    /** Records that the JVM failed to access a mapped page, because another process truncated the file. */
    void vanished() {
        failure = line(new CaptureDamage(bytes.offset(), "the file was cut while it was read",
            "read a file that nobody writes to")).getMessage();
    }

    private InputException line(final CaptureDamage damage) {
        return new InputException(PcapSettings.KIND, file + " at byte " + damage.offset(), damage.getMessage(),
            damage.advice());
    }

    /** Moves before the first packet. Returns false if the file cannot be reopened; {@link #failure} says why. */
    boolean rewind() {
        try {
            bytes.rewind();
            records = open();
            MappedAccess.confirm();
            return true;
        } catch (final IOException e) {
            failure = line(new CaptureDamage(0, "cannot be opened again (" + e.getMessage() + ")",
                "leave the file in its place while it is read")).getMessage();
        } catch (final CaptureDamage e) {
            failure = line(e).getMessage();
        } catch (final InputException e) {
            failure = e.getMessage();
        } catch (final InternalError e) {
            vanished();
        }
        return false;
    }

    /** Current packet; valid after {@link #next} returned true. */
    CapturedPacket packet() {
        return packet;
    }

    /** Bytes of the file, which hold the packet's. */
    CaptureBytes bytes() {
        return bytes;
    }

    /** Why the file cannot be read further, as one line; empty if it can or has ended well. */
    String failure() {
        return failure;
    }

    @Override
    public void close() {
        bytes.close();
    }
}
