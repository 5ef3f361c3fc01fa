"""One module for each part of the page. It turns analysis.json into the words and numbers of its template."""
