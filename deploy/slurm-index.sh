#!/bin/bash
# Indexes a run of many hosts: sbatch deploy/slurm-index.sh logs/plugins/profile/RUN pod.run
#SBATCH --job-name=tilescope-index
#SBATCH --nodes=4
#SBATCH --ntasks-per-node=4
#SBATCH --cpus-per-task=2
#SBATCH --mem-per-cpu=1G
#SBATCH --time=01:00:00
#SBATCH --output=tilescope-index-%j.log

set -euo pipefail

# The first task shares out the work, all others index: traces and run lie on a disk that all nodes share. `tilescope` is
# installed in an environment there, with mpi4py beside it. From Slurm 22.05 on srun does not take the cores of a task from
# the directives above, nor the memory that goes with them.
source "${TILESCOPE_ENVIRONMENT:-$HOME/tilescope}/bin/activate"
srun --mpi="${TILESCOPE_MPI:-pmix}" --cpus-per-task="$SLURM_CPUS_PER_TASK" python -m mpi4py.futures -m tilescope index "$1" -o "$2" --executor mpi --memory 1GiB
