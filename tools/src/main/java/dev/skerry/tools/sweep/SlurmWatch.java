package dev.skerry.tools.sweep;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What became of runs that are Slurm's: by its queue, and by what is in the folder. One thread. */
final class SlurmWatch {
    /** Looks after which a run whose job has ended, and of which the folder has nothing, is given up. */
    private static final int LOOKS = 3;

    private final SlurmFolder folder;
    private final SweepStore store;
    private final Map<String, SweepPoint> missing = new LinkedHashMap<>();
    private final Map<String, List<String>> arrays = new HashMap<>();
    private final Map<String, Integer> endedFor = new HashMap<>();
    private final Map<String, String> failures = new LinkedHashMap<>();
    private final List<String> news = new ArrayList<>();
    private int running;

    SlurmWatch(final SlurmFolder folder, final SweepStore store, final List<SweepPoint> points) throws IOException {
        this.folder = folder;
        this.store = store;
        points.forEach(point -> missing.put(point.id(), point));
        missing.keySet().removeAll(store.finished());
    }

    /** Names of runs that are not finished; failed ones are among them. */
    Set<String> missing() {
        return missing.keySet();
    }

    int running() {
        return running;
    }

    int failed() {
        return failures.size();
    }

    /** Lines on runs that failed since the last call. */
    List<String> newFailures() {
        final List<String> lines = List.copyOf(news);
        news.clear();
        return lines;
    }

    /**
     * Looks once.
     *
     * @return names of runs that wait or run in Slurm.
     * @throws IOException if Slurm does not answer.
     */
    Set<String> look() throws IOException, InterruptedException {
        final List<SlurmClient.Seen> tasks = SlurmClient.tasks(folder.jobName());
        // After the queue: what it says has ended is on the disk before.
        missing.keySet().removeAll(store.finished());
        final Set<String> alive = new HashSet<>();
        final Map<String, String> ended = new HashMap<>();
        running = 0;
        for (final SlurmClient.Seen task : tasks) {
            final String id = id(task);
            if (!task.isOver()) {
                alive.add(id);
                running += task.isRunning() ? 1 : 0;
            } else {
                ended.put(id, task.state() + (task.reason().equals("None") ? "" : ", " + task.reason()));
            }
        }
        for (final Map.Entry<String, SweepPoint> run : missing.entrySet()) {
            judge(run.getKey(), run.getValue(), alive, ended);
        }
        return alive;
    }

    private void judge(final String id, final SweepPoint point, final Set<String> alive,
        final Map<String, String> ended) throws IOException {
        if (alive.contains(id)) {
            endedFor.remove(id);
            failures.remove(id);
        } else if (endedFor.merge(id, 1, Integer::sum) >= LOOKS && !failures.containsKey(id)) {
            final String said = folder.failure(id);
            failures.put(id, said != null ? said : "Slurm: " + ended.getOrDefault(id, "its job is gone"));
            news.add(point.line() + ": " + failures.get(id));
        }
    }

    private String id(final SlurmClient.Seen task) throws IOException {
        List<String> ids = arrays.get(task.array());
        if (ids == null) {
            ids = folder.ids(task.array());
            arrays.put(task.array(), ids);
        }
        return task.index() < ids.size() ? ids.get(task.index()) : "";
    }
}
