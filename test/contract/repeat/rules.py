#!/usr/bin/python3
# Fills in the dates of rules.txt: `/usr/bin/python3 rules.py < rules.txt`, with dateutil 2.8.2 (Debian's python3-dateutil).
import sys
from datetime import datetime, timedelta
from itertools import islice
import dateutil
from dateutil.rrule import rrulestr

assert dateutil.__version__ == "2.8.2"
day = lambda text: datetime.strptime(text, "%Y-%m-%d")
for line in sys.stdin:
    rule, anchor, after = [part.strip() for part in line.rstrip("\n").split("|")][:3]
    found = rrulestr(rule, dtstart=day(anchor)).xafter(day(after) if after != "-" else day(anchor) - timedelta(1))
    print(" | ".join([rule, anchor, after, " ".join(f"{one:%Y-%m-%d}" for one in islice(found, 10))]).rstrip())
