package dev.skerry.members;

import dev.skerry.dataplane.memory.PrivateFiles;
import dev.skerry.members.Session.Frames;
import dev.skerry.nic.engine.RowExchange.MemberLostException;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.members.Members;
import dev.skerry.tools.members.Members.MemberAddress;
import io.aeron.Aeron;
import io.aeron.CncFileDescriptor;
import io.aeron.CommonContext;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;
import io.aeron.exceptions.AeronException;
import io.aeron.exceptions.RegistrationException;
import org.agrona.BufferUtil;
import org.agrona.CloseHelper;
import org.agrona.concurrent.SleepingMillisIdleStrategy;

import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.channels.FileLock;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;

/**
 * The Aeron objects of this process: a media driver in the first member of a machine, and a client in every member.
 * Opens only the address that the command line names, and that only if there are members on other machines.
 *
 * @param members members of the fabric.
 * @param folder  folder of the driver.
 * @param driver  the driver, null unless this process runs it.
 * @param client  client of this process.
 * @param failure first failure that Aeron reported.
 */
record AeronNode(Members members, File folder, MediaDriver driver, Aeron client, AtomicReference<Throwable> failure)
    implements AutoCloseable {
    /** Time without a sign of life after which a process, or its driver, counts as gone. */
    private static final long LIVENESS_NS = TimeUnit.SECONDS.toNanos(5);
    private static final int TERM_BYTES = 8 << 20;
    private static final int NEAR_MTU_BYTES = 32 << 10;
    /** Prefix of the name of a driver's folder. */
    private static final String PREFIX = "aeron-";
    private static final String LOCK = "aeron.lock";

    /**
     * Starts driver and client; retries until a deadline, in the clock of {@link System#nanoTime}, while the driver is
     * not there.
     */
    static AeronNode start(final Members members, final long deadlineNs) {
        final boolean leads = members.leader() == members.self();
        final File folder = folder(members, leads);
        final AtomicReference<Throwable> failure = new AtomicReference<>();
        final MediaDriver driver = leads ? driver(members, folder, failure) : null;
        while (true) {
            try {
                if (!leads && isLeftBehind(folder)) {
                    throw new AeronException("the driver of a killed member still occupies its place");
                }
                return new AeronNode(members, folder, driver, client(folder, failure), failure);
            } catch (final AeronException notYet) {
                if (driver != null || System.nanoTime() - deadlineNs >= 0) {
                    CloseHelper.quietClose(driver);
                    throw new MemberLostException(members.leader(), "it has not started: " + notYet.getMessage());
                }
            }
        }
    }

    /**
     * Returns the folder that the members of a machine share; other members with their addresses at the same time are
     * detected. The leading member removes what killed drivers of this user have left.
     */
    private static File folder(final Members members, final boolean leads) {
        final String name = members.all() + members.all().get(members.self()).host();
        final Path folder =
            PrivateFiles.userFolder().resolve(PREFIX + Long.toHexString(Frames.cluster(name)));
        try {
            PrivateFiles.folder(folder.getParent());
            if (leads) {
                deleteLeftBehind(folder);
            }
        } catch (final IOException e) {
            throw new InputException("--members", folder.getParent().toString(), "messages cannot be stored there: "
                + PrivateFiles.reason(e), "have its owner or root remove it");
        }
        return folder.toFile();
    }

    /** Removes abandoned folders under a lock: the leader of another fabric may find the same folders. */
    private static void deleteLeftBehind(final Path own) throws IOException {
        try (FileChannel file = FileChannel.open(own.resolveSibling(LOCK), StandardOpenOption.CREATE,
            StandardOpenOption.WRITE);
             FileLock alone = file.lock();
             DirectoryStream<Path> drivers = Files.newDirectoryStream(own.getParent(), PREFIX + "*")) {
            assert alone.isValid();
            for (final Path driver : drivers) {
                // The process of another driver may be invisible from here, in another container.
                if (isLeftBehind(driver.toFile()) && (driver.equals(own) || !isActive(driver.toFile()))) {
                    PrivateFiles.deleteFolder(driver);
                }
            }
        }
    }

    /**
     * Tells whether the folder belongs to a driver that was killed, whose last sign of life may be so recent that it
     * seems alive.
     */
    static boolean isLeftBehind(final File folder) {
        return ask(folder, file -> {
            final long process = CncFileDescriptor.pid(CncFileDescriptor.createMetaDataBuffer(file));
            return process != 0 && !ProcessHandle.of(process).map(ProcessHandle::isAlive).orElse(false);
        });
    }

    private static boolean isActive(final File folder) {
        return ask(folder,
            file -> CommonContext.isDriverActive(TimeUnit.NANOSECONDS.toMillis(LIVENESS_NS), line -> { }, file));
    }

    /**
     * Reads the file of a driver. Aeron's own way to open it would recreate it in a folder that another member is
     * deleting.
     */
    private static boolean ask(final File folder, final Predicate<ByteBuffer> question) {
        ByteBuffer file = null;
        try (FileChannel channel = FileChannel.open(folder.toPath().resolve(CncFileDescriptor.CNC_FILE))) {
            // A driver that starts creates the file first, and sets its size later.
            if (channel.size() < CncFileDescriptor.META_DATA_LENGTH) {
                return false;
            }
            file = channel.map(MapMode.READ_ONLY, 0, channel.size());
            return question.test(file.order(ByteOrder.nativeOrder()));
        } catch (final IOException notThere) {
            return false;
        } finally {
            BufferUtil.free(file);
        }
    }

    /** Removes the folder of a driver that was killed. */
    private static void delete(final File folder) {
        try {
            PrivateFiles.deleteFolder(folder.toPath());
        } catch (final IOException notNow) {
            // The next start of a member tries again, and reports why it cannot.
            assert notNow != null;
        }
    }

    private static MediaDriver driver(final Members members, final File folder,
        final AtomicReference<Throwable> failure) {
        try {
            return MediaDriver.launchEmbedded(new MediaDriver.Context()
                .aeronDirectoryName(folder.getPath())
                .dirDeleteOnShutdown(true)
                .threadingMode(members.isSpread() ? ThreadingMode.SHARED_NETWORK : ThreadingMode.SHARED)
                .sharedIdleStrategy(new SleepingMillisIdleStrategy(1))
                .conductorIdleStrategy(new SleepingMillisIdleStrategy(1))
                .ipcTermBufferLength(TERM_BYTES)
                .publicationTermBufferLength(TERM_BYTES)
                .ipcMtuLength(NEAR_MTU_BYTES)
                .clientLivenessTimeoutNs(LIVENESS_NS)
                .imageLivenessTimeoutNs(LIVENESS_NS)
                .errorHandler(error -> failure.compareAndSet(null, error)));
        } catch (final RuntimeException taken) {
            throw new InputException("--members", folder.getPath(), "these members are already "
                + "running: " + taken.getMessage(),
                "wait until they end, or use other ports");
        }
    }

    private static Aeron client(final File folder, final AtomicReference<Throwable> failure) {
        return Aeron.connect(new Aeron.Context()
            .aeronDirectoryName(folder.getPath())
            .driverTimeoutMs(TimeUnit.NANOSECONDS.toMillis(LIVENESS_NS))
            .errorHandler(error -> failure.compareAndSet(null, error)));
    }

    /** Returns the channel to a member, or to this one. */
    String channel(final int to, final int from) {
        final int far = to == members.self() ? from : to;
        final MemberAddress address = members.all().get(to);
        return members.isNear(far) ? "aeron:ipc" : "aeron:udp?endpoint=" + address;
    }

    /** Returns an error for an address that cannot be used. */
    InputException unusable(final RegistrationException why) {
        return new InputException("--members", members.all().get(members.self()).toString(),
            "this member's address can't be used: " + why.getMessage(), "name an address of this machine that is free");
    }

    /**
     * Checks that the driver is there.
     *
     * @throws MemberLostException if it is gone; the first member of this machine runs it.
     */
    void check() {
        if (client.isClosed()) {
            throw new MemberLostException(members.leader(), "it is lost, together with the driver for messages on "
                + "this "
                + "machine" + (failure.get() == null ? "" : " (" + failure.get().getClass().getSimpleName() + ")"));
        }
    }

    /** Closes client and driver; removes the folder of a driver that was killed. */
    @Override
    public void close() {
        final boolean isAlone = client.isClosed();
        CloseHelper.quietCloseAll(client, driver);
        if (driver == null && isAlone) {
            delete(folder);
        }
    }
}
