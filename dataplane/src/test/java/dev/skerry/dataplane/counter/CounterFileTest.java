package dev.skerry.dataplane.counter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.dataplane.memory.PrivateFiles;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/** Alone, because it changes the name of the user. */
@Isolated
class CounterFileTest {
    @TempDir
    Path place;

    @Test
    void refusesAFolderThatOthersMayWriteTo() throws IOException {
        final Path folder = Files.createDirectory(place.resolve("squatted"));
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxrwxrwx"));
        assertThrows(IOException.class, () -> CounterFile.create(folder, "test", 1));
        assertEquals(0, folder.toFile().list().length);
    }

    @Test
    void onlyTheUserReadsAndWritesTheFile() throws IOException {
        try (CounterFile file = CounterFile.create(place.resolve("new"), "test", 1)) {
            assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file.path())));
        }
    }

    /** What a full disk cannot take is an error then, and none of a thread that counts. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void allOfTheFileIsOnTheDiskBeforeItIsMapped() throws IOException {
        try (CounterFile file = CounterFile.create(place.resolve("new"), "test", 1_000)) {
            final Process stat = new ProcessBuilder("stat", "-c", "%b", file.path().toString()).start();
            final long blocks = Long.parseLong(new String(stat.getInputStream().readAllBytes()).strip());
            assertTrue(blocks * 512 >= Files.size(file.path()), blocks + " blocks of " + Files.size(file.path()));
        }
    }

    @Test
    void removesWhatKilledProcessesLeftInTheUsersFolder() throws Exception {
        final String user = System.getProperty("user.name");
        System.setProperty("user.name", "test-" + ProcessHandle.current().pid());
        final Path folder = PrivateFiles.userFolder();
        try {
            PrivateFiles.folder(folder);
            final Process process = new ProcessBuilder("true").start();
            process.waitFor();
            final Path left = Files.createFile(folder.resolve(process.pid() + ".counters"));
            final Path socket = Files.createFile(folder.resolve(process.pid() + ".ctl"));
            final Path live = Files.createFile(folder.resolve(ProcessHandle.current().pid() + ".schedule"));
            final Path other = Files.createFile(folder.resolve("1x.counters"));
            CounterFile.create(folder, "test", 1).close();
            assertFalse(Files.exists(left));
            assertFalse(Files.exists(socket));
            assertTrue(Files.exists(live));
            assertTrue(Files.exists(other));
        } finally {
            PrivateFiles.deleteFolder(folder);
            System.setProperty("user.name", user);
        }
    }
}
