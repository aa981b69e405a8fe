"""Stacks: frames of the threads of hosts in each other, and what lies in them: time, work of devices, memory."""
