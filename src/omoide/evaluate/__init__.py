"""evaluate: measures omoide through its public verbs, like any user.

`retrieval` runs labelled folders, `metrics` holds the textbook measures, `datasets` reads the folders,
`cases` decides what is asked and what is right, `summary` takes the means, `compare` and `report` show.
"""
