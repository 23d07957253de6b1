package dev.skerry.members;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.dataplane.memory.PrivateFiles;
import io.aeron.CncFileDescriptor;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;

class AeronNodeTest {
    private static final int ROUNDS = 2000;
    /** No process has it: above the largest that Linux gives. */
    private static final long NO_PROCESS = 1L << 23;

    @TempDir
    private Path place;

    private static void driver(final Path folder, final long process) throws IOException {
        final byte[] file = new byte[CncFileDescriptor.META_DATA_LENGTH + 1];
        final UnsafeBuffer head = CncFileDescriptor.createMetaDataBuffer(ByteBuffer.allocateDirect(file.length));
        CncFileDescriptor.fillMetaData(head, 1, 1, 1, 1, 1, 1, 0, process, 0);
        head.getBytes(0, file, 0, CncFileDescriptor.META_DATA_LENGTH);
        Files.createDirectories(folder);
        Files.write(folder.resolve(CncFileDescriptor.CNC_FILE), file);
    }

    @Test
    void shouldTellKilledDriverFromLiving() throws IOException {
        final Path folder = place.resolve("aeron-1");
        assertFalse(AeronNode.isLeftBehind(folder.toFile()));
        driver(folder, NO_PROCESS);
        assertTrue(AeronNode.isLeftBehind(folder.toFile()));
        driver(folder, ProcessHandle.current().pid());
        assertFalse(AeronNode.isLeftBehind(folder.toFile()));
        Files.write(folder.resolve(CncFileDescriptor.CNC_FILE), new byte[1]);
        assertFalse(AeronNode.isLeftBehind(folder.toFile()));
    }

    @Test
    void shouldNotDisturbMemberThatDeletesWhatWasLeftBehind() throws Exception {
        final Path folder = place.resolve("aeron-2");
        final AtomicBoolean isDone = new AtomicBoolean();
        final Callable<Boolean> untilDone = () -> {
            while (!isDone.get()) {
                AeronNode.isLeftBehind(folder.toFile());
            }
            return true;
        };
        try (ExecutorService other = Executors.newSingleThreadExecutor()) {
            final Future<Boolean> waiting = other.submit(untilDone);
            try {
                for (int round = 0; round < ROUNDS; round++) {
                    driver(folder, NO_PROCESS);
                    PrivateFiles.deleteFolder(folder);
                    assertFalse(Files.exists(folder), "made anew in round " + round);
                }
            } finally {
                isDone.set(true);
            }
            assertTrue(waiting.get());
        }
    }
}
