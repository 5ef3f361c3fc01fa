"""The charts, as plain plotly figures: dicts that `Plotly.newPlot` draws and that every version of plotly.js reads.

The worker lanes are not among them: assets/lanes-picture.js draws these from analysis.json itself.
"""

from __future__ import annotations

from poolscope.contract.analysis_json import AnalysisJson
from poolscope.report.charts.cores import cores_figure, states_figure
from poolscope.report.charts.pool import counters_figure, limits_figure, pool_figure
from poolscope.report.charts.waits import distribution_figure, waits_figure
from poolscope.report.charts.whatif import whatif_figure

Figure = dict[str, object]
"""Data and layout, as `Plotly.newPlot` accepts them."""


def figures(analysis: AnalysisJson) -> dict[str, Figure]:
    """Returns every chart for which this capture has data, by the id of its place in the page."""
    made = {
        "waits": waits_figure(analysis),
        "distribution": distribution_figure(analysis),
        "pool": pool_figure(analysis),
        "limits": limits_figure(analysis),
        "states": states_figure(analysis),
        "counters": counters_figure(analysis),
        "cores-used": cores_figure(analysis),
        "whatif": whatif_figure(analysis),
    }
    return {name: figure for name, figure in made.items() if figure is not None}
