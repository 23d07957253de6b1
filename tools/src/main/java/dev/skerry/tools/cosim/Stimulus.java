package dev.skerry.tools.cosim;

import static dev.skerry.tools.cosim.CodecTwin.BIG;
import static dev.skerry.tools.cosim.CodecTwin.HEADER;
import static dev.skerry.tools.cosim.PieoTwin.ANYWHERE;
import static dev.skerry.tools.cosim.PieoTwin.DEQUEUE;
import static dev.skerry.tools.cosim.PieoTwin.DEQUEUE_F;
import static dev.skerry.tools.cosim.PieoTwin.ENQUEUE;
import static dev.skerry.tools.cosim.ShoalTwin.CELL_WORDS;

import dev.skerry.codec.CellFormat;
import dev.skerry.codec.HeaderFault;
import dev.skerry.codec.ShaleHeader;
import dev.skerry.codec.ShaleLayout;
import dev.skerry.codec.ShaleToken;
import dev.skerry.codec.ShoalHeader;
import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.dataplane.circuit.RegisterTable;
import dev.skerry.dataplane.circuit.SwitchCounter;
import dev.skerry.dataplane.queue.Pieo;
import dev.skerry.dataplane.queue.PieoLayout;
import dev.skerry.dataplane.queue.PieoMemory;
import dev.skerry.nic.flow.Cell;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.shale.Route;
import dev.skerry.tools.input.InputException;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.StringJoiner;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/** Draws random rows for a model, with interesting rows more likely, and counts the cases they cover. One thread. */
abstract sealed class Stimulus {
    final Weights weights;
    final Coverage coverage;

    private Stimulus(final Weights weights, final Coverage coverage) {
        this.weights = weights;
        this.coverage = coverage;
    }

    /** The stimulus of a model, with some weights replaced. */
    static Stimulus of(final Twin twin, final Map<String, Integer> weights) {
        return switch (twin) {
            case final PieoTwin model -> new PieoStimulus(model.pieo().layout(), weights);
            case final SwitchTwin model -> new SwitchStimulus(model.table(), weights);
            case final ShoalTwin model -> new ShoalStimulus(model.header(), weights);
            case final NodeTwin model -> new ShaleNodeStimulus(model, model.neighbours(), weights);
            case final ShaleTwin model -> new ShaleStimulus(model.header(), weights);
            case DeviceTwin _ -> throw new IllegalArgumentException("rows of a device of Stardust are not drawn");
            case FollowTwin _ -> throw new IllegalArgumentException("a follower needs a device to follow");
            case HeaderTwin _ -> throw new IllegalArgumentException("headers that a text describes are not drawn");
        };
    }

    /** Starts a sequence. The model was reset. */
    void begin(final Twin twin) {
    }

    /** Draws the next row. The model has executed all rows before it. */
    abstract void draw(SplittableRandom random, long[] row);

    /** Counts the cases of an executed row. */
    abstract void covered(long[] row, long[] answer);

    /**
     * Draws operations of a PIEO. Its size oscillates, so that full and empty are both frequent. Half of the ranks and
     * times come from a small range, so that ties are frequent. An enqueue gets an unused id, as hardware requires.
     */
    private static final class PieoStimulus extends Stimulus {
        private static final int SMALL = 4;
        private static final int CHANGE_OF_TIDE = 8;

        private final PieoLayout layout;
        private Pieo pieo;
        private boolean growing;
        private boolean tie;
        private int usedBefore;

        PieoStimulus(final PieoLayout layout, final Map<String, Integer> weights) {
            super(new Weights("enqueue=6", "dequeue=5", "dequeue-f=2", "together=2", "absent=1").with(weights),
                new Coverage("ties", "full", "empty", "nothing eligible", "moved", "wrap", "absent", "same cycle"));
            this.layout = layout;
        }

        @Override
        void begin(final Twin twin) {
            pieo = ((PieoTwin) twin).pieo();
            growing = true;
        }

        @Override
        void draw(final SplittableRandom random, final long[] row) {
            final int size = pieo.size();
            if (size == layout.capacity() && random.nextInt(CHANGE_OF_TIDE) == 0) {
                growing = false;
            } else if (size == 0) {
                growing = true;
            }
            final String choice = weights.draw(random);
            final int free = freeId(random);
            row[PieoTwin.RANK] = number(random, layout.noRank());
            row[PieoTwin.TIME] = number(random, layout.noTime());
            row[PieoTwin.SUBLIST] = ANYWHERE;
            row[PieoTwin.ID] = free;
            final boolean canEnqueue = pieo.sublistOf(free) == layout.noSublist();
            if (choice.equals("together") && canEnqueue) {
                row[PieoTwin.REQUESTS] = ENQUEUE | random.nextInt(DEQUEUE_F) * DEQUEUE;
            } else if (choice.equals("enqueue") && canEnqueue && (growing || random.nextInt(3) == 0)) {
                row[PieoTwin.REQUESTS] = ENQUEUE;
            } else if (choice.equals("dequeue-f") && size > 0) {
                row[PieoTwin.REQUESTS] = DEQUEUE_F;
                row[PieoTwin.ID] = heldId(random);
            } else if (choice.equals("absent")) {
                row[PieoTwin.REQUESTS] = DEQUEUE_F;
                row[PieoTwin.SUBLIST] = random.nextInt(layout.sublists());
            } else if (choice.equals("enqueue") && canEnqueue && growing) {
                row[PieoTwin.REQUESTS] = ENQUEUE;
            } else {
                row[PieoTwin.REQUESTS] = DEQUEUE;
            }
            tie = (row[PieoTwin.REQUESTS] & ENQUEUE) != 0 && holdsRank(row[PieoTwin.RANK]);
            usedBefore = pieo.memory().used();
        }

        private static long number(final SplittableRandom random, final long none) {
            return random.nextBoolean() ? random.nextInt((int) Math.min(SMALL, none)) : random.nextLong(none);
        }

        private int freeId(final SplittableRandom random) {
            int id = random.nextInt(layout.nullId() + 1);
            for (int i = 0; i <= layout.nullId() && pieo.sublistOf(id) != layout.noSublist(); i++) {
                id = id == layout.nullId() ? 0 : id + 1;
            }
            return id;
        }

        private int heldId(final SplittableRandom random) {
            final PieoMemory memory = pieo.memory();
            final int position = random.nextInt(memory.used());
            return memory.id(memory.sublist(position), random.nextInt(memory.count(position)));
        }

        private boolean holdsRank(final long rank) {
            final PieoMemory memory = pieo.memory();
            for (int position = 0; position < memory.used(); position++) {
                for (int slot = 0; slot < memory.count(position); slot++) {
                    if (memory.rank(memory.sublist(position), slot) == rank) {
                        return true;
                    }
                }
            }
            return false;
        }

        @Override
        void covered(final long[] row, final long[] answer) {
            final long requests = row[PieoTwin.REQUESTS];
            final long code = answer[0];
            coverage.count("ties", tie && code == Pieo.DONE);
            coverage.count("full", code == Pieo.FULL);
            coverage.count("empty", code == Pieo.NOTHING && pieo.size() == 0);
            coverage.count("nothing eligible", code == Pieo.NOTHING && pieo.size() > 0);
            coverage.count("moved", answer[5] != layout.noId());
            coverage.count("wrap", pieo.memory().used() < usedBefore);
            coverage.count("absent", code == Pieo.ABSENT);
            coverage.count("same cycle", Long.bitCount(requests) > 1);
        }
    }

    /**
     * Draws what a Shale node receives: nothing, dummies, cells on their first hop, cells that pass through and cells
     * that end here, of all flows or mostly of one, and tokens that come back at once or late.
     * {@link NodeTwin.ShaleNeighbours} takes out what would break a law.
     */
    private static final class ShaleNodeStimulus extends Stimulus {
        private static final int CHANGE_OF_TIDE = 50;
        private static final int MOST_TOKENS = 2;

        private final FlowSet flows;
        private final int phases;
        private final int node;
        /** Cells sent so far, by flow. */
        private final int[] sequence;
        private NodeTwin.ShaleNeighbours neighbours;
        private boolean withholds;
        /** The flow that most cells belong to, -1 for none. */
        private int crowd;

        ShaleNodeStimulus(final NodeTwin twin, final NodeTwin.ShaleNeighbours neighbours,
            final Map<String, Integer> weights) {
            super(new Weights("first=4", "passing=6", "home=2", "none=2", "nothing=3").with(weights),
                new Coverage("nothing", "dummy", "first hop", "passing", "home", "one token", "two tokens", "sent on",
                    "sent own", "sent dummy", "owed one", "owed two"));
            this.neighbours = neighbours;
            this.flows = twin.flows();
            this.phases = neighbours.phases();
            this.node = twin.node();
            this.sequence = new int[flows.size()];
        }

        @Override
        void begin(final Twin twin) {
            neighbours = ((NodeTwin) twin).neighbours();
            withholds = false;
            crowd = -1;
        }

        @Override
        void draw(final SplittableRandom random, final long[] row) {
            if (random.nextInt(CHANGE_OF_TIDE) == 0) {
                withholds = random.nextBoolean();
                crowd = random.nextBoolean() ? random.nextInt(flows.size()) : -1;
            }
            row[0] = neighbours.slot();
            row[1] = InFlightCells.NO_CELL;
            row[2] = 0;
            row[3] = InFlightCells.NO_FEEDBACK;
            if (neighbours.sentSlot() >= 0) {
                drawCell(random, row);
                if (row[1] != InFlightCells.SILENCE && (!withholds || random.nextInt(CHANGE_OF_TIDE) == 0)) {
                    row[3] = NodeTwin.ShaleNeighbours.feedback(spentBucket(random), spentBucket(random));
                }
            }
        }

        private void drawCell(final SplittableRandom random, final long[] row) {
            final int sender = neighbours.sender();
            final int last = phases - 1;
            switch (weights.draw(random)) {
                case "first" -> put(row, flow(random, flow -> source(flow) == sender), last);
                case "passing" -> put(row, flow(random, flow -> destination(flow) != node), last == 0 ? 0
                    : random.nextInt(last));
                case "home" -> put(row, flow(random, flow -> destination(flow) == node), last == 0 ? 0
                    : random.nextInt(last));
                case "nothing" -> row[1] = InFlightCells.SILENCE;
                default -> { }
            }
        }

        private void put(final long[] row, final int flow, final int sprays) {
            if (flow >= 0) {
                row[1] = Route.first(destination(flow), sprays, neighbours.sentSlot());
                row[2] = Cell.of(flow, sequence[flow]++);
            }
        }

        /** A flow of which a condition holds, the one of the crowd if it does; -1 for none. */
        private int flow(final SplittableRandom random, final IntPredicate condition) {
            if (crowd >= 0 && condition.test(crowd) && random.nextInt(CHANGE_OF_TIDE) > 0) {
                return crowd;
            }
            final int[] some = IntStream.range(0, flows.size()).filter(condition).toArray();
            return some.length == 0 ? -1 : some[random.nextInt(some.length)];
        }

        private int source(final int flow) {
            return neighbours.nodeOf(flows.source(flow));
        }

        private int destination(final int flow) {
            return neighbours.nodeOf(flows.destination(flow));
        }

        /** A bucket of which the sender holds a token of the node, -1 for none. */
        private int spentBucket(final SplittableRandom random) {
            final int[] spent = neighbours.returnable();
            final int[] some = IntStream.range(0, spent.length).filter(bucket -> spent[bucket] > 0).toArray();
            final int pick = random.nextInt(some.length + 1);
            return pick == some.length ? -1 : some[pick];
        }

        @Override
        void covered(final long[] row, final long[] answer) {
            final long route = neighbours.route();
            final boolean isCell = InFlightCells.isCell(route);
            final boolean isHome = isCell && Route.destination(route) == node;
            final boolean isFirst = isCell && !isHome && Route.sprays(route) == phases - 1;
            coverage.count("nothing", route == InFlightCells.SILENCE);
            coverage.count("dummy", route == InFlightCells.NO_CELL);
            coverage.count("home", isHome);
            coverage.count("first hop", isFirst);
            coverage.count("passing", isCell && !isHome && !isFirst);
            coverage.count("one token", tokens(neighbours.feedback()) == 1);
            coverage.count("two tokens", tokens(neighbours.feedback()) == MOST_TOKENS);
            final boolean isSent = InFlightCells.isCell(answer[0]);
            final boolean isOwn = isSent && source(Cell.flow(answer[1])) == node;
            coverage.count("sent own", isOwn);
            coverage.count("sent on", isSent && !isOwn);
            coverage.count("sent dummy", answer[0] == InFlightCells.NO_CELL);
            coverage.count("owed one", tokens(answer[2]) == 1);
            coverage.count("owed two", tokens(answer[2]) == MOST_TOKENS);
        }

        private static int tokens(final long feedback) {
            return ((int) feedback >= 0 ? 1 : 0) + (feedback >= 0 ? 1 : 0);
        }
    }

    /** Draws operations on Shale headers: encode, decode, decode of a damaged or foreign header, relay. */
    private static final class ShaleStimulus extends Stimulus {
        private static final int DAMAGED_BITS = 3;

        private final ShaleHeader header;
        /** Header of the largest fabric of this layout. It encodes values that are invalid in the model's fabric. */
        private final ShaleHeader largest;
        private final MemorySegment bytes = Arena.ofAuto().allocate(ValueLayout.JAVA_LONG, 2);

        ShaleStimulus(final ShaleHeader header, final Map<String, Integer> weights) {
            super(new Weights("encode=3", "valid=3", "foreign=1", "damaged=2", "noise=1", "relay=2").with(weights),
                new Coverage("empty", "full", "wrap", "dummy", "valid", "damaged", "other fault"));
            this.header = header;
            final ShaleLayout layout = header.layout();
            this.largest = new ShaleHeader(layout, layout.maxNodes(), layout.maxPhases(), layout.hasKinds());
        }

        @Override
        void draw(final SplittableRandom random, final long[] row) {
            final String choice = weights.draw(random);
            final int number = 1 << header.layout().sequenceBits();
            row[CodecTwin.OP] = choice.equals("encode") ? CodecTwin.ENCODE
                : choice.equals("relay") ? CodecTwin.RELAY : CodecTwin.DECODE;
            row[ShaleTwin.SOURCE] = random.nextInt(header.nodes());
            row[ShaleTwin.DESTINATION] = random.nextInt(3) == 0 ? row[ShaleTwin.SOURCE]
                : random.nextInt(header.nodes());
            row[ShaleTwin.SPRAYS] = random.nextInt(header.phases());
            row[ShaleTwin.SEQUENCE] = random.nextInt(8) == 0 ? number - 1 : random.nextInt(number);
            row[ShaleTwin.TOKEN1] = token(random, header);
            row[ShaleTwin.TOKEN2] = token(random, header);
            row[HEADER] = random.nextLong();
            row[HEADER + 1] = random.nextLong();
            if (row[CodecTwin.OP] != CodecTwin.ENCODE && !choice.equals("noise")) {
                final ShaleHeader writer = choice.equals("foreign") ? largest : header;
                writer.encode(bytes, 0, random.nextInt(writer.nodes()), random.nextInt(writer.nodes()),
                    random.nextInt(writer.phases()), random.nextInt(), token(random, writer), token(random, writer));
                row[HEADER] = bytes.getAtIndex(BIG, 0);
                row[HEADER + 1] = bytes.getAtIndex(BIG, 1);
            }
            if (header.layout().headerBytes() < 2 * Long.BYTES) {
                row[HEADER + 1] &= -1L << Integer.SIZE;
            }
            if (choice.equals("damaged")) {
                for (int bit = random.nextInt(DAMAGED_BITS); bit >= 0; bit--) {
                    final int at = random.nextInt(header.layout().headerBytes() * Byte.SIZE);
                    row[HEADER + at / Long.SIZE] ^= 1L << Long.SIZE - 1 - at % Long.SIZE;
                }
            }
        }

        private static int token(final SplittableRandom random, final ShaleHeader of) {
            if (random.nextInt(3) == 0) {
                return ShaleToken.NONE;
            }
            final int kinds = of.failureCapable() ? ShaleToken.KIND_REVALIDATION : ShaleToken.KIND_TOKEN;
            // Excludes the last node. Without kinds, its last bucket has the bits of "none".
            return ShaleToken.of(1 + random.nextInt(kinds), random.nextInt(of.nodes() - 1),
                random.nextInt(of.phases()));
        }

        @Override
        void covered(final long[] row, final long[] answer) {
            final boolean encode = row[CodecTwin.OP] == CodecTwin.ENCODE;
            final boolean decode = row[CodecTwin.OP] == CodecTwin.DECODE;
            coverage.count("empty", row[ShaleTwin.TOKEN1] == 0 && row[ShaleTwin.TOKEN2] == 0);
            coverage.count("full", row[ShaleTwin.TOKEN1] != 0 && row[ShaleTwin.TOKEN2] != 0);
            coverage.count("wrap", encode && row[ShaleTwin.SEQUENCE] == (1 << header.layout().sequenceBits()) - 1);
            coverage.count("dummy", encode && row[ShaleTwin.SOURCE] == row[ShaleTwin.DESTINATION]);
            coverage.count("valid", decode && answer[0] == HeaderFault.NONE.ordinal());
            coverage.count("damaged", decode && answer[0] == HeaderFault.CRC.ordinal());
            coverage.count("other fault", decode && answer[0] > HeaderFault.CRC.ordinal());
        }
    }

    /**
     * Draws operations on Shoal cells: encode, decode, decode of a damaged cell, relay. Payloads are empty or random
     * with equal probability.
     */
    private static final class ShoalStimulus extends Stimulus {
        private static final int DAMAGED_BITS = 3;

        private final ShoalHeader header;
        /** Header of the largest fabric. It encodes values that are invalid in the model's fabric. */
        private final ShoalHeader anyNode;
        private final MemorySegment cell = Arena.ofAuto().allocate(ValueLayout.JAVA_LONG, CELL_WORDS);

        ShoalStimulus(final ShoalHeader header, final Map<String, Integer> weights) {
            super(new Weights("encode=3", "valid=3", "foreign=1", "damaged=2", "noise=1", "relay=2").with(weights),
                new Coverage("empty", "full", "wrap", "dummy", "control", "valid", "damaged", "other fault"));
            this.header = header;
            this.anyNode = new ShoalHeader(ShoalHeader.MAX_NODES, ShoalHeader.MAX_CLASSES, CellFormat.SHOAL);
        }

        @Override
        void draw(final SplittableRandom random, final long[] row) {
            final String choice = weights.draw(random);
            final int nodes = header.nodes();
            final boolean quiet = random.nextInt(4) == 0;
            for (int word = 0; word < CELL_WORDS; word++) {
                row[HEADER + word] = quiet ? 0 : random.nextInt(8) == 0 ? -1 : random.nextLong();
            }
            row[CodecTwin.OP] = choice.equals("encode") ? CodecTwin.ENCODE
                : choice.equals("relay") ? CodecTwin.RELAY : CodecTwin.DECODE;
            row[ShoalTwin.DESTINATION] = random.nextInt(nodes);
            row[ShoalTwin.SOURCE] = random.nextInt(3) == 0 ? row[ShoalTwin.DESTINATION] : random.nextInt(nodes);
            row[ShoalTwin.CLASS] = random.nextInt(header.classes());
            row[ShoalTwin.SEQUENCE] = random.nextInt(8) == 0 ? (1 << header.sequenceBits()) - 1
                : random.nextInt(1 << header.sequenceBits());
            row[ShoalTwin.FEEDBACK] = random.nextInt(header.maxFeedback() + 1);
            row[ShoalTwin.FLAGS] = choice.equals("relay") ? random.nextInt(2) : random.nextInt(8);
            if (row[CodecTwin.OP] != CodecTwin.ENCODE && !choice.equals("noise")) {
                write(random, row, choice.equals("foreign"));
                if (choice.equals("damaged")) {
                    for (int bit = random.nextInt(DAMAGED_BITS); bit >= 0; bit--) {
                        row[HEADER + random.nextInt(CELL_WORDS)] ^= 1L << random.nextInt(Long.SIZE);
                    }
                }
            }
        }

        /** Writes a cell to decode: a valid one, or one that only another fabric accepts. */
        private void write(final SplittableRandom random, final long[] row, final boolean foreign) {
            final ShoalHeader writer = foreign ? anyNode : header;
            final int destination = random.nextInt(writer.nodes());
            final int source = random.nextInt(4) == 0 ? destination : random.nextInt(writer.nodes());
            final int feedback = random.nextInt(writer.maxFeedback() + 1);
            for (int word = 1; word < CELL_WORDS; word++) {
                cell.setAtIndex(BIG, word, row[HEADER + word]);
            }
            if (destination != source) {
                writer.encode(cell, 0, source, destination, random.nextInt(writer.classes()), random.nextInt(),
                    feedback, random.nextInt(8));
            } else if (random.nextBoolean()) {
                writer.encodeDummy(cell, 0, source, feedback, random.nextInt(2));
            } else {
                writer.encodeControl(cell, 0, source, feedback, random.nextInt(2));
            }
            row[HEADER] = cell.getAtIndex(BIG, 0);
        }

        @Override
        void covered(final long[] row, final long[] answer) {
            final boolean decode = row[CodecTwin.OP] == CodecTwin.DECODE;
            final boolean ownSource = row[CodecTwin.OP] == CodecTwin.ENCODE && row[ShoalTwin.SOURCE]
                == row[ShoalTwin.DESTINATION];
            final boolean start = (row[ShoalTwin.FLAGS] & ShoalHeader.SOP) != 0;
            coverage.count("empty", row[HEADER + 1] == 0 && row[HEADER + CELL_WORDS - 1] == 0);
            coverage.count("full", row[HEADER + 1] == -1 || row[HEADER + CELL_WORDS - 1] == -1);
            coverage.count("wrap", row[CodecTwin.OP] == CodecTwin.ENCODE
                && row[ShoalTwin.SEQUENCE] == (1 << header.sequenceBits()) - 1);
            coverage.count("dummy", ownSource && !start);
            coverage.count("control", ownSource && start);
            coverage.count("valid", decode && answer[0] == HeaderFault.NONE.ordinal());
            coverage.count("damaged", decode && answer[0] == HeaderFault.CRC.ordinal());
            coverage.count("other fault", decode && answer[0] > HeaderFault.CRC.ordinal());
        }
    }

    /**
     * Draws slots of a circuit switch: mostly valid cells, some stale or duplicate, and bootstrap signals that are
     * early, late or repeated.
     */
    private static final class SwitchStimulus extends Stimulus {
        private static final int MAX_AFTER = 4;
        private static final int SIGNALS = 24;
        private static final SwitchCounter[] COUNTERS = SwitchCounter.values();

        private final int ports;
        private final int epochSlots;
        private final long[] before = new long[COUNTERS.length];
        private long runningSlots;

        SwitchStimulus(final RegisterTable table, final Map<String, Integer> weights) {
            super(new Weights("cell=6", "none=3", "stale=1", "twice=1").with(weights),
                new Coverage("empty", "full", "wrap", "same cycle", "dark", "unselected", "second cell",
                    "wrong stamp", "signal ignored"));
            this.ports = table.ports();
            this.epochSlots = table.epochSlots();
        }

        @Override
        void begin(final Twin twin) {
            runningSlots = 0;
            Arrays.fill(before, 0);
        }

        @Override
        void draw(final SplittableRandom random, final long[] row) {
            row[SwitchTwin.START] = random.nextInt(SIGNALS) == 0 ? 1 : 0;
            row[SwitchTwin.AFTER] = row[SwitchTwin.START] == 0 ? 0 : random.nextInt(-1, MAX_AFTER);
            for (int port = 0; port < ports; port++) {
                final String choice = weights.draw(random);
                row[SwitchTwin.FIRST_CELL + 2 * port] =
                    choice.equals("none") ? SwitchTwin.DARK : random.nextInt(Integer.MAX_VALUE);
                row[SwitchTwin.FIRST_CELL + 2 * port + 1] = switch (choice) {
                    case "stale" -> SwitchTwin.STALE;
                    case "twice" -> SwitchTwin.TWICE;
                    default -> SwitchTwin.ONE;
                };
            }
        }

        @Override
        void covered(final long[] row, final long[] answer) {
            int cells = 0;
            for (int port = 0; port < ports; port++) {
                cells += row[SwitchTwin.FIRST_CELL + 2 * port] == SwitchTwin.DARK ? 0 : 1;
            }
            runningSlots += answer[ports];
            coverage.count("empty", cells == 0);
            coverage.count("full", cells == ports);
            coverage.count("wrap", answer[ports] != 0 && runningSlots % epochSlots == 1 && runningSlots > 1);
            coverage.count("same cycle", row[SwitchTwin.START] != 0 && row[SwitchTwin.AFTER] == 0);
            count("dark", SwitchCounter.DARK_BY_TABLE, answer);
            count("unselected", SwitchCounter.DROPPED_UNSELECTED, answer);
            count("second cell", SwitchCounter.DROPPED_SECOND_CELL, answer);
            count("wrong stamp", SwitchCounter.WRONG_STAMP, answer);
            count("signal ignored", SwitchCounter.SIGNALS_IGNORED, answer);
            for (final SwitchCounter counter : COUNTERS) {
                before[counter.ordinal()] = answer[at(counter)];
            }
        }

        /** Counters are cumulative: a case occurred if its counter has grown. */
        private void count(final String name, final SwitchCounter counter, final long[] answer) {
            coverage.count(name, answer[at(counter)] > before[counter.ordinal()]);
        }

        private int at(final SwitchCounter counter) {
            return ports + 1 + counter.ordinal();
        }
    }

    /** Counts of interesting cases. A case that never occurred is listed with 0. */
    static final class Coverage {
        private final Map<String, long[]> counts = new LinkedHashMap<>();

        Coverage(final String... cases) {
            for (final String each : cases) {
                counts.put(each, new long[1]);
            }
        }

        /** Adds one to a case if it occurred. */
        void count(final String name, final boolean met) {
            if (met) {
                counts.get(name)[0]++;
            }
        }

        /** Count of a case. */
        long of(final String name) {
            return counts.get(name)[0];
        }

        @Override
        public String toString() {
            final StringJoiner text = new StringJoiner(", ");
            counts.forEach((name, count) -> text.add(name + " " + count[0]));
            return text.toString();
        }
    }

    /** Relative weights of some choices. */
    static final class Weights {
        private static final int MOST = 1_000_000;

        private final Map<String, Integer> weights = new LinkedHashMap<>();
        private int sum;

        /** Sets defaults, each {@code name=weight}. */
        Weights(final String... defaults) {
            for (final String each : defaults) {
                final String[] parts = each.split("=");
                weights.put(parts[0], Integer.parseInt(parts[1]));
            }
            add();
        }

        /**
         * Returns a copy with some weights replaced.
         *
         * @throws InputException if a choice is unknown, a weight is invalid, or all weights are 0.
         */
        Weights with(final Map<String, Integer> others) {
            others.forEach((name, weight) -> {
                if (!weights.containsKey(name)) {
                    throw new InputException("--weight", name, "this model has no such choice",
                        "choose of " + String.join(", ", weights.keySet()));
                }
                if (weight < 0 || weight > MOST) {
                    throw new InputException("--weight", name + "=" + weight, "a weight is from 0 to " + MOST,
                        "give a number in this range");
                }
                weights.put(name, weight);
            });
            add();
            if (sum == 0) {
                throw new InputException("--weight", others.toString(), "nothing is left to choose from",
                    "give one choice a weight above 0");
            }
            return this;
        }

        private void add() {
            sum = weights.values().stream().mapToInt(Integer::intValue).sum();
        }

        /** Draws a choice. */
        String draw(final SplittableRandom random) {
            int left = random.nextInt(sum);
            for (final Map.Entry<String, Integer> each : weights.entrySet()) {
                left -= each.getValue();
                if (left < 0) {
                    return each.getKey();
                }
            }
            throw new IllegalStateException("weights do not add up: sum=" + sum);
        }

        @Override
        public String toString() {
            return weights.toString();
        }
    }
}
