"""Counterparts of the papers' figures, drawn from the result file of one campaign."""
