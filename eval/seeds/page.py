"""reports/seeds.html: a pure function of seeds.json and the pictures' data."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from markupsafe import Markup

from poolscope.html.escape import script_json
from poolscope.html.formatting import percent
from poolscope.html.page import ASSETS, chart_scripts, content_security_policy, environment
from poolscope.version import __version__
from seeds.row import Row

HERE = Path(__file__).parent


def render(
    product: dict[str, Any],
    sections: dict[str, list[Row]],
    figures: dict[str, Any],
    tables: list[dict[str, Any]],
) -> str:
    """Returns the page. `product` is seeds.json."""
    by_id = {row["id"]: row for row in product["rows"]}
    shapes: dict[str, list[dict[str, Any]]] = {}
    for shape in product["shapes"]:
        shapes.setdefault(shape["row"], []).append(shape)
    shown = {
        title: [_shown(by_id[row.id], shapes.get(row.id, [])) for row in rows if row.id in by_id]
        for title, rows in sections.items()
    }
    scripts = chart_scripts(HERE / "assets" / "seeds.js") if figures else []
    template = environment(HERE / "templates").get_template("seeds.html")
    return template.render(
        version=__version__,
        product=product,
        sections={title: rows for title, rows in shown.items() if rows},
        count=_counts(product),
        data={"figures": script_json(figures)},
        charts=sorted(figures),
        tables=tables,
        policy=content_security_policy(scripts),
        style=Markup((ASSETS / "style.css").read_text("utf-8") + (HERE / "assets" / "seeds.css").read_text("utf-8")),
        scripts=[Markup(script) for script in scripts],
    )


def _counts(product: dict[str, Any]) -> dict[str, int]:
    rows = [row for row in product["rows"] if "failed" not in row]
    return {
        "rows": len(product["rows"]),
        "failed": len(product["rows"]) - len(rows),
        "verdicts_ok": sum(row["verdict_ok"] for row in rows),
        "verdicts": len(rows),
        "shapes_ok": sum(shape["ok"] for shape in product["shapes"]),
        "shapes": len(product["shapes"]),
    }


def _shown(row: dict[str, Any], shapes: list[dict[str, Any]]) -> dict[str, Any]:
    """Returns a row with its numbers in words."""
    if "failed" in row:
        return row
    share = row["wait_share"]
    return {
        **row,
        "ours_text": f"{number(row['ours'])} {row['unit']}",
        "ratio_text": "" if row["ratio"] is None else f"{number(row['ratio'])}",
        "share_text": ""
        if share is None
        else ", ".join(f"{k} {percent(v)}" for k, v in share.items() if v and v >= 0.005),
        "shapes": [{**shape, "text": f"{number(shape['measured'])} ({_range(shape)})"} for shape in shapes],
    }


def _range(shape: dict[str, Any]) -> str:
    if shape["high"] is None:
        return f"at least {number(shape['low'])}"
    return f"{number(shape['low'])} to {number(shape['high'])}"


def number(value: float) -> str:
    """Returns the number with at most four significant digits and thousands separators, without an exponent if a person
    would write it without."""
    if value == 0 or abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.4g}" if abs(value) >= 1e-4 else f"{value:.1e}"
