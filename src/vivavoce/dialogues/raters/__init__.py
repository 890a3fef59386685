"""Who gives the scores: the learned model, a function of the user, a judge behind an endpoint."""
