package dev.skerry.tools.cosim;

import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.InputException;

import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * Shared library of a verilated model (tools/cosim/model/skerry_model.h). It runs in this process, so a crash of the
 * library ends the JVM. Not thread-safe.
 */
final class Verilated implements DeviceHost.Device {
    private static final int VERSION = 1;
    private static final long MAX_DESCRIPTION = 1 << 16;
    private static final byte[] ELF = {0x7F, 'E', 'L', 'F'};

    private final Path file;
    private final Arena arena = Arena.ofConfined();
    private final SymbolLookup symbols;
    private final MethodHandle create;
    private final MethodHandle step;
    private final MethodHandle destroy;
    private final String description;
    private MemorySegment instance = MemorySegment.NULL;

    /**
     * Loads a library.
     *
     * @throws InputException if the file is not a library or not a model.
     */
    Verilated(final Path file) {
        this.file = file;
        Choices.refuseIf(!Files.isRegularFile(file), "model", file, "there is no such file",
            "build one, tools/cosim/model shows how");
        try {
            symbols = load(file, arena);
            Choices.refuseIf((int) call(find("skerry_model_version",
                FunctionDescriptor.of(ValueLayout.JAVA_INT))) != VERSION, "model", file, "it was built for another "
                + "version than " + VERSION + " of skerry_model.h", "build it again");
            create = find("skerry_model_create", FunctionDescriptor.of(ValueLayout.ADDRESS));
            step = find("skerry_model_step",
                FunctionDescriptor.ofVoid(ValueLayout.ADDRESS, ValueLayout.ADDRESS, ValueLayout.ADDRESS));
            destroy = find("skerry_model_destroy", FunctionDescriptor.ofVoid(ValueLayout.ADDRESS));
            description = describe();
        } catch (final InputException e) {
            arena.close();
            throw e;
        }
    }

    @SuppressWarnings("restricted")
    private static SymbolLookup load(final Path file, final Arena arena) {
        // The JVM prints a warning of several lines for a file that is not a library.
        Choices.refuseIf(System.getProperty("os.name").equals("Linux") && !isElf(file), "model", file,
            "it is not a shared library", "build one, tools/cosim/model shows how");
        try {
            return SymbolLookup.libraryLookup(file.toAbsolutePath(), arena);
        } catch (final IllegalArgumentException e) {
            throw new InputException("model", file.toString(), "it cannot be loaded as a shared library",
                "build it with -shared -fPIC for this machine");
        }
    }

    private static boolean isElf(final Path file) {
        try (InputStream bytes = Files.newInputStream(file)) {
            return Arrays.equals(bytes.readNBytes(ELF.length), ELF);
        } catch (final IOException e) {
            throw new InputException("model", file.toString(), "it cannot be read", "check its permissions");
        }
    }

    @SuppressWarnings("restricted")
    private MethodHandle find(final String name, final FunctionDescriptor type) {
        return Linker.nativeLinker().downcallHandle(symbols.find(name).orElseThrow(() ->
            new InputException("model", file.toString(), "it has no function " + name,
                "export the functions of tools/cosim/model/skerry_model.h")), type);
    }

    @SuppressWarnings("restricted")
    private String describe() {
        final MemorySegment text =
            (MemorySegment) call(find("skerry_model_describe", FunctionDescriptor.of(ValueLayout.ADDRESS)));
        Choices.refuseIf(text.address() == 0, "model", file, "it describes itself as NULL", "return a line of text");
        return text.reinterpret(MAX_DESCRIPTION).getString(0);
    }

    /** Returns the description of the equivalent Java model, as given by the library. */
    String description() {
        return description;
    }

    @Override
    public void reset() {
        destroyInstance();
        instance = (MemorySegment) call(create);
        Choices.refuseIf(instance.address() == 0, "model", file, "it creates no instance", "see what it prints");
    }

    @Override
    public void step(final MemorySegment in, final MemorySegment out) {
        try {
            step.invokeExact(instance, in, out);
        } catch (final Throwable e) {
            throw new IllegalStateException("a foreign call does not throw", e);
        }
    }

    private void destroyInstance() {
        if (instance.address() != 0) {
            call(destroy.bindTo(instance));
        }
    }

    private static Object call(final MethodHandle function) {
        try {
            return function.invoke();
        } catch (final Throwable e) {
            throw new IllegalStateException("a foreign call does not throw", e);
        }
    }

    /** Unloads the library. */
    @Override
    public void close() {
        destroyInstance();
        arena.close();
    }
}
