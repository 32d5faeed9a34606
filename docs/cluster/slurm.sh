#!/bin/bash
# Augments the data set $1 to the folder $2 by an array of 8 tasks:
#
#   job=$(sbatch --parsable slurm.sh data out)
#   sbatch --dependency=afterok:"$job" --wrap 'qturn merge out'
#
#SBATCH --job-name=qturn
#SBATCH --array=0-7
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output=qturn-%A_%a.log

# --resume: the same line is right at the first attempt and at each that follows.
qturn augment "$1" -o "$2" --shard auto --resume --progress=600
status=$?

# Slurm puts a task back into its queue when a node fails or another job comes before it. A task that was killed for another
# reason, such as too little memory, is put back here, three times at most.
if ((status > 128 && ${SLURM_RESTART_COUNT:-0} < 3)); then
  scontrol requeue "$SLURM_JOB_ID"
fi
exit $status
