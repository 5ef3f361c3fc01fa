"""Prose lint: finds sentences that read as a translation, by their structure, in every text of the repository.

`patterns` lists the structures and the reasons, `words` lists single words, `texts` reads files into passages. `python
-m prose` in `eng/` prints every find, `python -m prose --count` a table by kind of text.
"""
