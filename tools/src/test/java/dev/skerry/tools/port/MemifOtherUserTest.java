package dev.skerry.tools.port;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.dataplane.port.MemifFault;
import dev.skerry.dataplane.port.PortCounter;
import dev.skerry.tools.port.MemifPort.MemifAddress;
import dev.skerry.tools.port.MemifPort.MemifSockets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;

/** Peers of another user, at abstract sockets, where no permission of a file keeps them out. */
@Timeout(60)
class MemifOtherUserTest {
    private static final int PEERS = 5;
    private static final String SOCKET = """
        import socket, struct, sys
        s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        """;
    /** Says HELLO as a server does, then prints how many bytes the client sends. */
    private static final String SERVER = SOCKET + """
        s.bind("\\0" + sys.argv[1])
        s.listen(16)
        print("listening", flush=True)
        c, _ = s.accept()
        inits = 0
        try:
            c.send(struct.pack("<H32sHHHHHB", 2, b"evil", 0x200, 0x200, 15, 15, 15, 14).ljust(128, b"\\0"))
            for m in iter(lambda: c.recv(4096), b""):
                inits += m[0] == 3
        except ConnectionError:
            pass  # The client has left, before or after the HELLO.
        print(inits, flush=True)
        """;
    private static final String CLIENT = SOCKET + """
        print("here", flush=True)
        for i in range(int(sys.argv[2])):
            s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            s.connect("\\0" + sys.argv[1])
            print(len(s.recv(4096)), flush=True)
        """;

    private static String name(final String of) {
        return "skerry-test-" + of + "-" + ProcessHandle.current().pid();
    }

    @Test
    void aClientSendsNoSecretToAServerOfAnotherUser() throws IOException {
        final String name = name("server");
        try (OtherUser server = OtherUser.run(SERVER, name);
            MemifPort port = new MemifSockets().open(
                MemifAddress.parse("memif:" + name + ",client,abstract,secret=hunter2"))) {
            MemifRig.until(() -> port.lastFault() != null, port);
            assertEquals("0", server.line(), "INITs, which bring the secret");
            assertEquals(MemifFault.PEER_USER, port.lastFault());
        }
    }

    @Test
    void aServerTurnsClientsOfAnotherUserAway() throws IOException {
        final String name = name("client");
        try (MemifPort port = new MemifSockets().open(MemifAddress.parse("memif:" + name + ",server,abstract"));
            OtherUser client = OtherUser.run(CLIENT, name, Integer.toString(PEERS))) {
            MemifRig.until(() -> port.counts().get(PortCounter.PEERS_REFUSED) == PEERS, port);
            for (int peer = 0; peer < PEERS; peer++) {
                assertEquals("0", client.line(), "bytes that it got");
            }
            assertEquals(MemifFault.PEER_USER, port.lastFault());
            assertTrue(port.lastReason().contains("another user"), port.lastReason());
        }
    }
}
