"""Third-party programs with one known cause or none: recorded, judged, and compared with the verdicts fixed
beforehand."""
