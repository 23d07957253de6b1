package dev.skerry.tools.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;

/**
 * Where and when a run was made: without it a speed means nothing.
 *
 * @param when    date and time, UTC.
 * @param jdk     version and maker of the virtual machine.
 * @param system  operating system.
 * @param cpu     model of the processor.
 * @param cores   logical processors the process may use.
 * @param heapMiB largest heap, MiB.
 */
record Machine(String when, String jdk, String system, String cpu, int cores, long heapMiB) {
    private static final Path CPU_INFO = Path.of("/proc/cpuinfo");

    /** This machine, now. */
    static Machine here() {
        final Runtime runtime = Runtime.getRuntime();
        return new Machine(
            DateTimeFormatter.ISO_INSTANT.format(ZonedDateTime.now(ZoneOffset.UTC).truncatedTo(ChronoUnit.SECONDS)),
            property("java.runtime.version") + ", " + property("java.vm.name") + ", " + property("java.vendor"),
            property("os.name") + " " + property("os.version") + ", " + property("os.arch"),
            cpuModel(), runtime.availableProcessors(), runtime.maxMemory() >> 20);
    }

    private static String property(final String key) {
        return System.getProperty(key, "unknown");
    }

    /** Linux tells the model; elsewhere the architecture has to do. */
    private static String cpuModel() {
        if (Files.isReadable(CPU_INFO)) {
            try (var lines = Files.lines(CPU_INFO)) {
                return lines.filter(line -> line.startsWith("model name") && line.indexOf(':') > 0)
                    .map(line -> line.substring(line.indexOf(':') + 1).strip())
                    .findFirst().orElseGet(() -> property("os.arch"));
            } catch (final IOException | java.io.UncheckedIOException e) {
                return property("os.arch");
            }
        }
        return property("os.arch");
    }
}
