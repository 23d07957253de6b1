package dev.skerry.dataplane.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

class PrivateFilesTest {
    private static final String NOBODY = "65534";

    @TempDir
    Path place;

    @Test
    void makesAFolderForTheUserAlone() throws IOException {
        final Path folder = PrivateFiles.folder(place.resolve("a/b"));
        assertEquals("rwx------", mode(folder));
        assertEquals(folder, PrivateFiles.folder(folder));
    }

    @Test
    void refusesAFolderThatOthersMayWriteTo() throws IOException {
        final Path folder = Files.createDirectory(place.resolve("open"));
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxrwxrwx"));
        assertRefused(folder, "rwxrwxrwx");
    }

    @Test
    void refusesALinkToAFolder() throws IOException {
        final Path target = Files.createDirectory(place.resolve("target"));
        assertRefused(Files.createSymbolicLink(place.resolve("link"), target), "symbolic link");
    }

    @Test
    void refusesAFile() throws IOException {
        assertRefused(Files.createFile(place.resolve("file")), "not a folder");
    }

    @Test
    void refusesAndKeepsTheFolderOfAnotherUser() throws IOException {
        final Path folder = ofAnother(Files.createDirectory(place.resolve("other")));
        Files.createFile(folder.resolve("file"));
        assertRefused(folder, "another user");
        assertThrows(IOException.class, () -> PrivateFiles.deleteFolder(folder));
        assertTrue(Files.exists(folder.resolve("file")), "nothing is deleted");
        assertFalse(PrivateFiles.isOwn(folder));
    }

    @Test
    void deletesLinksAndNotWhatTheyLeadTo() throws IOException {
        final Path victim = Files.createDirectories(place.resolve("victim/deep"));
        Files.createFile(victim.resolve("file"));
        final Path folder = Files.createDirectories(place.resolve("left/inner")).getParent();
        Files.createFile(folder.resolve("inner/file"));
        Files.createSymbolicLink(folder.resolve("x"), victim);
        Files.createSymbolicLink(folder.resolve("inner/y"), victim.resolve("file"));
        PrivateFiles.deleteFolder(folder);
        assertFalse(Files.exists(folder));
        assertTrue(Files.exists(victim.resolve("file")));
        PrivateFiles.deleteFolder(folder);
    }

    @Test
    void doesNotDeleteThroughALinkInPlaceOfTheFolder() throws IOException {
        final Path victim = Files.createDirectory(place.resolve("victim"));
        Files.createFile(victim.resolve("file"));
        final Path link = Files.createSymbolicLink(place.resolve("link"), victim);
        assertThrows(IOException.class, () -> PrivateFiles.deleteFolder(link));
        assertTrue(Files.exists(victim.resolve("file")));
    }

    @Test
    void replacesALinkInsteadOfWritingThroughIt() throws IOException {
        final Path target = Files.writeString(place.resolve("target"), "precious");
        final Path file = Files.createSymbolicLink(place.resolve("file"), target);
        try (FileChannel channel = PrivateFiles.create(file)) {
            channel.write(ByteBuffer.wrap(new byte[] {'x'}));
        }
        assertEquals("precious", Files.readString(target));
        assertEquals("x", Files.readString(file));
        assertEquals("rw-------", mode(file));
    }

    private static void assertRefused(final Path folder, final String why) {
        final String message = assertThrows(IOException.class, () -> PrivateFiles.folder(folder)).getMessage();
        assertTrue(message.contains(why), message);
    }

    private static String mode(final Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }

    private static Path ofAnother(final Path file) throws IOException {
        try {
            return Files.setOwner(file, file.getFileSystem().getUserPrincipalLookupService()
                .lookupPrincipalByName(NOBODY));
        } catch (final IOException notRoot) {
            assumeTrue(false, "only root can give a folder to another user");
            return file;
        }
    }
}
