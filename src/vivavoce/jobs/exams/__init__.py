"""Each exam as a run of units: what is to be done, how one unit is done, and what all of them say."""
