package dev.skerry.tools.port;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.skerry.dataplane.port.PacketBurst.PacketTest;
import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.port.CaptureReader.CapturedPacket;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.util.List;

/**
 * A packet filter in the language of tcpdump (pcap-filter(7)), for example {@code tcp port 80}. It is compiled and run
 * by libpcap. Thread-safe.
 */
public final class PacketFilter implements PacketTest {
    /** Key of the filter in the text of a port. */
    static final String KEY = "filter";

    private static final List<String> LIBRARIES = List.of("libpcap.so.1", "libpcap.so.0.8", "libpcap.so");
    private static final int ERROR_BYTES = 1 << 12;
    /**
     * Maximum length of an expression. libpcap compiles longer ones recursively until the stack overflows, which ends
     * the JVM.
     */
    private static final int MOST_TEXT = 1 << 11;
    /** Maximum length of an expression to optimise; libpcap takes seconds to optimise longer ones. */
    private static final int MOST_OPTIMIZED = 1 << 8;
    private static final int MOST_SHOWN = 60;
    /** Size of struct bpf_program, with the number of instructions and, at this offset, their address. */
    private static final long PROGRAM_BYTES = 16;
    private static final long INSTRUCTIONS = 8;
    private static final long INSTRUCTION_BYTES = 8;
    /** PCAP_NETMASK_UNKNOWN. */
    private static final int NO_NETMASK = -1;

    private final MemorySegment code;
    private final MethodHandle run;

    @SuppressWarnings("restricted")
    private PacketFilter(final String expression, final SymbolLookup library) {
        this.run = handle(library, "bpf_filter", JAVA_INT, ADDRESS, JAVA_LONG, JAVA_INT, JAVA_INT);
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment program = arena.allocate(PROGRAM_BYTES, Long.BYTES);
            final MemorySegment session = (MemorySegment) handle(library, "pcap_open_dead", ADDRESS, JAVA_INT, JAVA_INT)
                .invokeExact(CapturedPacket.ETHERNET, CapturedPacket.MAX_BYTES);
            final int result = (int) handle(library, "pcap_compile", JAVA_INT, ADDRESS, ADDRESS, ADDRESS, JAVA_INT,
                JAVA_INT).invokeExact(session, program, arena.allocateFrom(expression),
                expression.length() > MOST_OPTIMIZED ? 0 : 1, NO_NETMASK);
            final String error = result == 0 ? "" : ((MemorySegment) handle(library, "pcap_geterr", ADDRESS, ADDRESS)
                .invokeExact(session)).reinterpret(ERROR_BYTES).getString(0);
            release(library, "pcap_close", session);
            Choices.refuseIf(result != 0, KEY, expression, error, "use the syntax of tcpdump, see man pcap-filter");
            final long bytes = program.get(JAVA_INT, 0) * INSTRUCTION_BYTES;
            this.code = Arena.ofAuto().allocate(bytes, Long.BYTES)
                .copyFrom(program.get(ADDRESS, INSTRUCTIONS).reinterpret(bytes));
            release(library, "pcap_freecode", program);
        } catch (final Throwable e) {
            throw Libc.failed(e);
        }
    }

    @SuppressWarnings("restricted")
    private static void release(final SymbolLookup library, final String name, final MemorySegment what)
        throws Throwable {
        Linker.nativeLinker().downcallHandle(library.findOrThrow(name), FunctionDescriptor.ofVoid(ADDRESS))
            .invokeExact(what);
    }

    @SuppressWarnings("restricted")
    private static MethodHandle handle(final SymbolLookup library, final String name, final MemoryLayout result,
        final MemoryLayout... arguments) {
        return Linker.nativeLinker().downcallHandle(library.findOrThrow(name),
            FunctionDescriptor.of(result, arguments));
    }

    /**
     * Compiles a filter.
     *
     * @param expression null or empty for no filter.
     * @return null if there is no expression.
     * @throws InputException if the expression is invalid, or libpcap is not installed.
     */
    @SuppressWarnings("restricted")
    public static PacketFilter compile(final String expression) {
        if (expression == null || expression.isEmpty()) {
            return null;
        }
        if (expression.length() > MOST_TEXT) {
            throw new InputException(KEY, expression.substring(0, MOST_SHOWN) + "...", "it has " + expression.length()
                + " characters, the maximum is " + MOST_TEXT, "write a shorter one");
        }
        for (final String name : LIBRARIES) {
            final SymbolLookup library;
            try {
                library = SymbolLookup.libraryLookup(name, Arena.global());
            } catch (final IllegalArgumentException e) {
                // This library does not exist. Try the next one.
                continue;
            }
            return new PacketFilter(expression, library);
        }
        throw new InputException(KEY, expression, "filters need libpcap, which is not installed",
            "install it, in Debian with apt install libpcap0.8, or leave the filter out");
    }

    @Override
    public boolean matches(final MemorySegment bytes, final long offset, final int length) {
        try {
            return (int) run.invokeExact(code, bytes.address() + offset, length, length) != 0;
        } catch (final Throwable e) {
            throw Libc.failed(e);
        }
    }
}
