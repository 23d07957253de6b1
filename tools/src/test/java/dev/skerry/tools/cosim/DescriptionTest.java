package dev.skerry.tools.cosim;

import static dev.skerry.tools.cosim.TwinRig.refuses;
import static dev.skerry.tools.cosim.TwinRig.twin;
import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Lines of text that describe models. */
final class DescriptionTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "pieo|5|8",
        "pieo capacity=16 idBits=5 rankBits=8 timeBits=8|5|8",
        "switch ports=2 rows=1,0/-1,1|6|11",
        "shoal|15|15",
        "shoal nodes=64 classes=3|15|15",
        "shale|9|9",
        "shale layout=L16 nodes=4096 phases=6 failures=1|9|9",
        "header file=shale-prototype|16|17",
        "header file=shoal payload=56|17|11"
    })
    void shouldMakeTheModelDescribed(final String line, final int inputs, final int outputs) {
        final Twin twin = twin(line);
        assertEquals(inputs, twin.names().inputs().length);
        assertEquals(outputs, twin.names().outputs().length);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        fifo | no such model: fifo
        pieo 64 | not name=value: 64
        pieo capacity=x | capacity=x
        pieo capacity=0 | capacity=0
        pieo colour=1 | a pieo has no colour
        switch ports=2 | rows
        switch ports=2 rows=0,0 | not a partial permutation
        switch ports=2 rows=0 | ports=2
        shoal nodes=2000 | nodes=2000
        shale layout=L13 | layout=L13
        shale layout=L12 failures=1 | failure tokens
        header | file=
        header file=/nowhere | /nowhere
        header file=L12 payload=x | payload=x
        header file=L12 payload=-1 | payload=-1
        shale-node node=16 nodes=16 | node=16
        shale-node colour=1 | no colour
        shale-node threads=2 | no threads
        shale-node nodes=x | nodes
        shale-node nodes=16 channels=2 | --channels
        shoal-node nodes=8 h=2 | --h
        shoal-node nodes=8 probes=no_such | no_such
        stardust-node | no such model
        stardust-device device=99 nodes=6 topology=single | no such device: device=99
        stardust-device device=0 nodes=6 topology=single messages=0 | messages=0
        stardust-device device=0 nodes=6 topology=single probes=link9_cells | name=link9_cells
        stardust-device device=0 nodes=6 topology=single threads=2 | a device of stardust has no threads
        stardust-device device=0 nodes=6 topology=single hosts=tcp | not TCP
        stardust-device device=0 nodes=6 topology=ring | --topology
        shoal-follower node=1 nodes=8 channels=1 failures=1 | that guards against failures cannot be followed
        shale-node node=1 nodes=16 faults=/no/such/file | /no/such/file
        shale-node nodes=16 order=sideways | order
        shale-node nodes=16 order=receive-first | propagation must be a number
        shale-node nodes=16 order=receive-first propagation=0 | propagation
        shale-node nodes=16 tokenDelay=-1 | tokenDelay
        shoal-node nodes=8 tokenDelay=2 | tokenDelay
        shoal-node nodes=8 failures=1 start=2 | has no registers
        shale-node nodes=16 pairs=0>16 | pairs
        shale-node nodes=16 pairs=0 | pairs
        shale-node nodes=16 pairs=3>3 | pairs
        shale-node nodes=16 offers=0 | offers
        shale-node nodes=16 offers=x | offers
        shale-node nodes=16 probes=queue0_tokens_d16n0 | no such signal
        shale-node nodes=9 tokensASlot=3 | tokensASlot
        shale-node nodes=9 owedFifo=0 | owedFifo
        shale-node nodes=9 owedFifo=2 full=count | full
        shale-node nodes=9 full=drop | full
        shoal-node nodes=8 tokensASlot=1 | tokensASlot
        shale-node nodes=9 registerBits=33 | registerBits
        shale-follower nodes=9 order=send-first | order
        shale-follower nodes=9 owedFifo=2 full=burn | full
        shale-follower nodes=9 queueCells=2 full=stall | full
        shale-node nodes=9 owedFifo=2 queueCells=2 full=stall | full
        shale-follower nodes=9 queueCells=x | queueCells
        shale-follower cc=hbh+priority | the ranks of priority
        shale-follower limit=0 | limit
        shale-follower colour=red | colour
        shale-follower node=9 nodes=9 workload=permutation | node=9
        shoal-follower node=0 nodes=3 channels=2 queueCells=5 | no limits of hardware
        """)
    void shouldRefuseWithAReason(final String line, final String reason) {
        refuses(reason, () -> twin(line));
    }
}
