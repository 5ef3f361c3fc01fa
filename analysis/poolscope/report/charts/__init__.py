"""The charts, as plain plotly figures: dicts that `Plotly.newPlot` draws and that every version of plotly.js reads.

The worker lanes are none of them: assets/lanes-picture.js draws those from analysis.json itself.
"""

from __future__ import annotations

from poolscope.contract.analysis_json import AnalysisJson
from poolscope.report.charts.cores import cores_figure, states_figure
from poolscope.report.charts.pool import counters_figure, limits_figure, pool_figure
from poolscope.report.charts.waits import distribution_figure, waits_figure
from poolscope.report.charts.whatif import whatif_figure

Figure = dict[str, object]
"""As `Plotly.newPlot` takes it: data and layout."""


def figures(analysis: AnalysisJson) -> dict[str, Figure]:
    """Returns every chart that this capture has data for, by the id of its place in the page."""
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
