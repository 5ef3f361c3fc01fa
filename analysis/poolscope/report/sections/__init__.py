"""One module for each part of the page: from analysis.json to what its template shows, words and numbers ready."""
