package dev.skerry.dataplane.memory;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.util.EnumSet;
import java.util.Set;

/**
 * Files and folders of the effective user in locations to which other users may write, such as {@code /dev/shm}.
 * Symbolic links are never followed in the last component of a path, and a folder of another user is neither used nor
 * deleted. Any thread may call.
 */
public final class PrivateFiles {
    private static final Set<PosixFilePermission> OF_FOLDER = PosixFilePermissions.fromString("rwx------");
    private static final Set<PosixFilePermission> OF_FILE = PosixFilePermissions.fromString("rw-------");
    private static final Set<PosixFilePermission> WRITE_BY_OTHERS =
        EnumSet.of(PosixFilePermission.GROUP_WRITE, PosixFilePermission.OTHERS_WRITE);
    private static final Path STATUS = Path.of("/proc/thread-self/status");
    private static final String UID = "Uid:";
    /** Field of that line, after the real, the effective and the saved user id. */
    private static final int FILE_SYSTEM_USER = 4;
    private static final String ROOT = "0";

    private PrivateFiles() {
    }

    /**
     * The folder for shared memory and sockets of this user: {@code skerry-USER} in {@code /dev/shm}, or in the folder
     * for temporary files if there is no {@code /dev/shm}. It may not exist yet.
     */
    public static Path userFolder() {
        final Path memory = Path.of("/dev/shm");
        final Path base = Files.isDirectory(memory) && Files.isWritable(memory) ? memory
            : Path.of(System.getProperty("java.io.tmpdir"));
        return base.resolve("skerry-" + System.getProperty("user.name", "user").replaceAll("[^A-Za-z0-9_.-]", "_"));
    }

    /**
     * Checks that files of this user are safe in a folder, which is created with mode 0700 if it is missing. It must
     * belong to the effective user, must not be a symbolic link, and no other user may write to it. Other users may not
     * even read {@link #userFolder} and the folders in it.
     *
     * @return the folder.
     * @throws IOException if it can't be created or is not safe; the message is one line for the user.
     */
    public static Path folder(final Path folder) throws IOException {
        final Path user = userFolder();
        if (folder.startsWith(user) && !folder.equals(user)) {
            folder(folder.getParent());
        }
        try {
            if (!isPosix(folder)) {
                return Files.createDirectories(folder);
            }
            if (!Files.exists(folder, LinkOption.NOFOLLOW_LINKS)) {
                if (folder.getParent() != null) {
                    Files.createDirectories(folder.getParent(), attributes(OF_FOLDER));
                }
                Files.createDirectory(folder, attributes(OF_FOLDER));
            }
        } catch (final FileAlreadyExistsException madeByAnother) {
            // The check below decides.
            assert madeByAnother != null;
        }
        return checked(folder);
    }

    /**
     * Checks an existing folder as {@link #folder} does; a missing one passes.
     *
     * @return the folder.
     */
    public static Path checked(final Path folder) throws IOException {
        if (isPosix(folder) && Files.exists(folder, LinkOption.NOFOLLOW_LINKS)) {
            final PosixFileAttributes found =
                Files.readAttributes(folder, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            final String why = unsafe(found, folder.startsWith(userFolder()));
            if (why != null) {
                throw new AccessDeniedException(folder.toString(), null, why);
            }
        }
        return folder;
    }

    /** Reason why a folder is not safe; null if it is safe. */
    private static String unsafe(final PosixFileAttributes found, final boolean isClosed) throws IOException {
        if (found.isSymbolicLink()) {
            return "it is a symbolic link";
        }
        if (!found.isDirectory()) {
            return "it is not a folder";
        }
        if (!found.owner().equals(user())) {
            return "it belongs to another user, " + found.owner().getName();
        }
        final Set<PosixFilePermission> tooMuch = EnumSet.copyOf(found.permissions());
        if (isClosed) {
            tooMuch.removeAll(OF_FOLDER);
        } else {
            tooMuch.retainAll(WRITE_BY_OTHERS);
        }
        return tooMuch.isEmpty() ? null : "other users have access to it, its mode is "
            + PosixFilePermissions.toString(found.permissions());
    }

    /**
     * Creates a file of mode 0600. An existing file or link of this name is removed first.
     *
     * @param options further options.
     */
    public static FileChannel create(final Path file, final StandardOpenOption... options) throws IOException {
        return create(file, attributes(file, OF_FILE), options);
    }

    /** Creates a file with the usual permissions, which others may read. */
    public static FileChannel createShared(final Path file) throws IOException {
        return create(file, new FileAttribute<?>[0]);
    }

    private static FileChannel create(final Path file, final FileAttribute<?>[] attributes,
        final StandardOpenOption... options) throws IOException {
        Files.deleteIfExists(file);
        return createNew(file, attributes, options);
    }

    /**
     * Creates a file that only this user may read and write.
     *
     * @throws java.nio.file.FileAlreadyExistsException if a file or link of this name exists.
     */
    public static FileChannel createNew(final Path file) throws IOException {
        return createNew(file, attributes(file, OF_FILE));
    }

    private static FileChannel createNew(final Path file, final FileAttribute<?>[] attributes,
        final StandardOpenOption... options) throws IOException {
        final Set<StandardOpenOption> all = EnumSet.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        all.addAll(Set.of(options));
        return FileChannel.open(file, all, attributes);
    }

    /**
     * Deletes a folder of this user with its contents. Links are deleted but not followed, even if they replace folders
     * meanwhile. A missing folder is ignored.
     *
     * @throws IOException if the folder belongs to another user or is a link, in which case nothing is deleted, or if
     *                     something can't be deleted.
     */
    public static void deleteFolder(final Path folder) throws IOException {
        try (DirectoryStream<Path> parent = Files.newDirectoryStream(folder.toAbsolutePath().getParent())) {
            if (!(parent instanceof final SecureDirectoryStream<Path> place)) {
                throw new IOException("folders can't be deleted safely on this system");
            }
            final Path name = folder.getFileName();
            final PosixFileAttributeView view = place.getFileAttributeView(name, PosixFileAttributeView.class,
                LinkOption.NOFOLLOW_LINKS);
            if (!view.readAttributes().isDirectory()) {
                throw new NotDirectoryException(folder.toString());
            }
            try (SecureDirectoryStream<Path> inside = place.newDirectoryStream(name, LinkOption.NOFOLLOW_LINKS)) {
                // Attributes of the opened folder, whatever has its name by now.
                final PosixFileAttributeView opened = inside.getFileAttributeView(PosixFileAttributeView.class);
                if (!opened.readAttributes().owner().equals(user())) {
                    throw new IOException("it belongs to another user");
                }
                deleteAll(inside);
            }
            place.deleteDirectory(name);
        } catch (final NoSuchFileException gone) {
            // Another process has deleted it.
            assert gone != null;
        }
    }

    private static void deleteAll(final SecureDirectoryStream<Path> folder) throws IOException {
        for (final Path path : folder) {
            final Path name = path.getFileName();
            if (folder.getFileAttributeView(name, BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
                .readAttributes().isDirectory()) {
                try (SecureDirectoryStream<Path> inside =
                    folder.newDirectoryStream(name, LinkOption.NOFOLLOW_LINKS)) {
                    deleteAll(inside);
                }
                folder.deleteDirectory(name);
            } else {
                folder.deleteFile(name);
            }
        }
    }

    /**
     * Whether a file itself, not the target of a link, belongs to the effective user; true on file systems without
     * owners.
     */
    public static boolean isOwn(final Path file) throws IOException {
        return !isPosix(file) || Files.getOwner(file, LinkOption.NOFOLLOW_LINKS).equals(user());
    }

    /** Whether every user may write a file; links are followed. */
    public static boolean isWritableByAll(final Path file) throws IOException {
        return isPosix(file) && Files.getPosixFilePermissions(file).contains(PosixFilePermission.OTHERS_WRITE);
    }

    /** Whether only the effective user, or root, can read and write a file; links are followed. */
    public static boolean isSecret(final Path file) throws IOException {
        if (!isPosix(file)) {
            return true;
        }
        final PosixFileAttributes found = Files.readAttributes(file, PosixFileAttributes.class);
        return OF_FOLDER.containsAll(found.permissions()) && isTrusted(found.owner());
    }

    /** Whether a user is the effective one, or root. */
    public static boolean isTrusted(final UserPrincipal of) throws IOException {
        return of.equals(user()) || of.equals(principal(ROOT));
    }

    /** Why an operation on a file failed, as part of a message that names the file. */
    public static String reason(final IOException failure) {
        final String reason = failure instanceof final FileSystemException of ? of.getReason() : failure.getMessage();
        return reason != null ? reason : failure instanceof AccessDeniedException ? "permission denied"
            : failure instanceof NoSuchFileException ? "no such file or folder" : failure.toString();
    }

    /** The user who owns the files created by this thread. Java itself reports only the name of the real user. */
    private static UserPrincipal user() throws IOException {
        String user = System.getProperty("user.name");
        if (Files.isReadable(STATUS)) {
            final String line = Files.readAllLines(STATUS).stream().filter(text -> text.startsWith(UID)).findFirst()
                .orElseThrow(() -> new IOException(STATUS + " has no " + UID));
            user = line.split("\\s+")[FILE_SYSTEM_USER];
        }
        return principal(user);
    }

    private static UserPrincipal principal(final String user) throws IOException {
        return STATUS.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName(user);
    }

    private static boolean isPosix(final Path file) {
        return file.getFileSystem().supportedFileAttributeViews().contains("posix");
    }

    private static FileAttribute<?>[] attributes(final Path file, final Set<PosixFilePermission> permissions) {
        return isPosix(file) ? new FileAttribute<?>[] {attributes(permissions)} : new FileAttribute<?>[0];
    }

    private static FileAttribute<?> attributes(final Set<PosixFilePermission> permissions) {
        return PosixFilePermissions.asFileAttribute(permissions);
    }
}
