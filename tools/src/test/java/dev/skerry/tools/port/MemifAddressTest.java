package dev.skerry.tools.port;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.tools.input.InputException;
import dev.skerry.tools.port.MemifPort.MemifAddress;
import dev.skerry.tools.port.MemifPort.MemifAddress.MemifRole;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

final class MemifAddressTest {
    @Test
    void shouldReadAWholeAddress() {
        final MemifAddress address = MemifAddress.parse(
            "memif:/run/x.sock,client,id=4294967295,ring=12,buffer=4096,secret=a=b,line=128,abstract");
        assertEquals(new MemifAddress("/run/x.sock", true, MemifRole.CLIENT, -1, 12, 4096, "a=b", 128), address);
    }

    @Test
    void shouldFillInWhatIsNotSaid() {
        assertEquals(new MemifAddress("/run/x.sock", false, MemifRole.SERVER, 0, 10, 2048, "", 64),
            MemifAddress.parse("memif:/run/x.sock,server"));
    }

    @Test
    void shouldPrintItselfReadablyButForTheSecret() {
        final String text = "memif:/run/x.sock,server,id=4000000000,ring=9,buffer=512,abstract";
        assertEquals(text, MemifAddress.parse(text).toString());
        assertFalse(MemifAddress.parse(text + ",secret=hush").toString().contains("hush"));
    }

    @Test
    void shouldTakeTheSecretFromAFileOrTheEnvironment(@TempDir final Path folder) throws IOException {
        final Path file = Files.writeString(folder.resolve("secret"), "hush\nno more\n");
        final String text = "memif:/run/x.sock,server,secret=";
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        assertEquals("hush", MemifAddress.parse(text + "@" + file).withSecret().secret());
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
        for (final String wrong : new String[] {"@" + file, "@" + folder.resolve("none"), "env:SKERRY_NO_SUCH", ""}) {
            final String why =
                assertThrows(InputException.class, () -> MemifAddress.parse(text + wrong)).getMessage();
            assertTrue(why.contains("its secret can't be read") && !why.contains("hush"), why);
            assertTrue(why.contains("secret=@FILE"), why);
        }
    }

    /** What a FIFO or {@code <(command)} says can be read once: by the port that is opened, not by who looks at it. */
    @Test
    @Timeout(60)
    @EnabledOnOs(OS.LINUX)
    void shouldReadASecretFromAFifoOnceAndOnlyWhenAPortIsOpened(@TempDir final Path folder) throws Exception {
        final Path fifo = folder.resolve("fifo");
        assertEquals(0, new ProcessBuilder("mkfifo", "-m", "600", fifo.toString()).start().waitFor());
        final MemifAddress address = MemifAddress.parse("memif:/run/x.sock,server,secret=@" + fifo);
        assertEquals(address, MemifAddress.parse("memif:/run/x.sock,server,secret=@" + fifo));
        final Thread writer = Thread.ofVirtual().start(() -> {
            try {
                Files.writeString(fifo, "hush\n");
            } catch (final IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        assertEquals("hush", address.withSecret().secret());
        writer.join();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "tap:/run/x.sock,server|does not start with memif:",
        "memif:,server|path must be 1 to 107 bytes",
        "memif:/run/x.sock|neither server nor client",
        "memif:/run/x.sock,server,client|repeats an earlier",
        "memif:/run/x.sock,server,id=1,id=2|repeats an earlier",
        "memif:/run/x.sock,server,id=|id must be a whole number from 0 to 4294967295: id=",
        "memif:/run/x.sock,server,id=-1|id must be a whole number",
        "memif:/run/x.sock,server,id=4294967296|id must be a whole number",
        "memif:/run/x.sock,server,ring=0|ring must be 1 to 14: ring=0",
        "memif:/run/x.sock,server,ring=15|ring must be 1 to 14: ring=15",
        "memif:/run/x.sock,server,buffer=63|buffer must be 64 to 65536",
        "memif:/run/x.sock,server,ring=14,buffer=65536|more than 1 GiB",
        "memif:/run/x.sock,server,line=32|line must be 64 or 128",
        "memif:@x,client|looks like an abstract socket, which is written memif:x,client,abstract",
        "memif:/run/x.sock,server,slots=4|there is no such part: 'slots=4'",
        "memif:/run/x.sock,server,,id=4|a part is empty",
        "memif:/run/x.sock,server,secret=123456789012345678901234|secret must be at most 23 bytes",
    })
    void shouldRefuseInOneLine(final String text, final String why) {
        final String message = assertThrows(InputException.class, () -> MemifAddress.parse(text)).getMessage();
        assertTrue(message.startsWith("skerry: memif: ") && message.contains(why), message);
        assertFalse(message.contains("123456789012"), "the secret is not for the log");
        assertEquals(1, message.lines().count());
    }

    @Test
    void shouldRefuseAPathTooLongForASocket() {
        assertTrue(assertThrows(InputException.class,
            () -> MemifAddress.parse("memif:/" + "x".repeat(107) + ",server")).getMessage().contains("107 bytes"));
        assertEquals(107, MemifAddress.parse("memif:/" + "x".repeat(106) + ",server").path().length());
    }
}
