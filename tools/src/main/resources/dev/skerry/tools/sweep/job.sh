#!/bin/sh
# A run of a sweep, by its place in a job array. Exit code 75: stopped with a checkpoint, and queued again.
trap 'kill -TERM "$run" 2>/dev/null' TERM
%s %s/"$SLURM_ARRAY_TASK_ID".json &
run=$!
wait "$run"
code=$?
while kill -0 "$run" 2>/dev/null; do
  wait "$run"
  code=$?
done
case $code in
  75 | %d)
    # The id of one of the tasks is also that of the whole array.
    task=${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID
    if [ "$(squeue --noheader --jobs="$task" --format=%%T)" = RUNNING ]; then
      echo "skerry: stopped with a checkpoint, queued again"
      scontrol requeue "$task"
    fi
    ;;
esac
exit "$code"
