"""Files that survive kill -9 and full disks."""
