"""The interactive page and figures: one offline HTML file, and the same roofline as a plotly figure for a notebook.

The way of the data: what `plumbline show|ceilings|score|nodes|compare --json` print becomes panels (panels.py: cases and roofs of one node and team, with
the words of each hover card), panels become plotly traces (traces.py), and document.py packs these, plotly.js and the scripts beside it into
report.html. In the page the scripts only choose among the traces: each trace says in its "meta" what it is of, and in its "customdata" of which
case of the panel each of its points is.

meta: role   point | join | interval | flag     points of cases, the line between two levels of a case, its interval, the ring of one above its roof
             roof | theory                      a ceiling as measured, and what its vendor's documents allow
      level, precision, source                  what it is of, where it is of one; of a join "levels", both
      kind, value, label, matters               of a roof: bandwidth or peak; GB/s or GFLOP/s; its text; whether a case needs it
"""
