# Sphinx's configuration, for lab/site. The pages stay as the repository shows them: what Sphinx
# needs beyond that is added while it reads them.
import json
import re
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent


def read(page):
    return (TOP / f"{page}.md").read_text(encoding="utf-8")


def linked_pages(page, text):
    """The pages that a text of a page links to, each once."""
    targets = re.findall(r"\]\(([^)#:]+)\.md[)#]", text)
    paths = [(TOP / page).parent.joinpath(target).resolve() for target in targets]
    found = dict.fromkeys(str(path.relative_to(TOP)) for path in paths)
    return [each for each in found if (TOP / f"{each}.md").exists()]  # Sphinx reports the others


# Navigation: README's tables of pages. Any other page stands below the first that links to it.
navigation = {
    f"For {group}": linked_pages("README", rows)
    for group, rows in re.findall(r"^\| for (\w+) \|.*\n((?:\|.*\n)+)", read("README"), re.MULTILINE)
}
pages = [page for group in navigation.values() for page in group]
below = {}
for page in pages:  # which grows
    below[page] = [p for p in linked_pages(page, read(page)) if p not in ["README", *pages]]
    pages += below[page]


def toctree(entries, *options):
    lines = ["```{toctree}", ":hidden:", *options, "", *(f"/{entry}" for entry in entries), "```"]
    return "\n" + "\n".join(lines) + "\n"


def graphviz(mermaid):
    """The same graph for Graphviz, which draws it without a script in the browser."""
    edges = re.sub(r"([a-z-]+)( (?=-->|&)|$)", r'"\1"\2', mermaid[1], flags=re.MULTILINE)
    edges = re.sub(r"--> (.*)", r"-> {\1}", edges).replace(" & ", " ")
    look = 'rankdir=LR bgcolor=none node [shape=box fontname="sans-serif" color=gray50 fontcolor=gray50] edge [color=gray50]'
    return f"```{{graphviz}}\ndigraph {{\n{look}\n{edges}}}\n```"


def add(app, page, source):
    source[0] = re.sub(r"^```mermaid\ngraph LR\n(.*?)```$", graphviz, source[0], flags=re.MULTILINE | re.DOTALL)
    if page == "README":
        source[0] = re.sub(r"\[!\[[^]]*\]\(https:[^)]*\)\]\([^)]*\)", "", source[0])  # badges need a network
        source[0] += "".join(toctree(entries, f":caption: {group}") for group, entries in navigation.items())
    elif below.get(page):
        source[0] += toctree(below[page])


# Beyond Furo: options are not broken at their hyphens; a graph is transparent in the dark, too, and
# is scrolled on a phone, where a heading that a link leads to must not be below the bar on top.
STYLE = """
td:first-child code { white-space: nowrap }
@media (max-width: 67em) { :target { scroll-margin-top: calc(0.5rem + var(--header-height)) } }
.graphviz { overflow-x: auto }
.graphviz object { color-scheme: light; min-width: 46rem; max-width: none }
"""


def add_script(app, page, template, context, doctree):
    if page == "search":
        app.add_js_file("pages.js")


def finish(app, exception):
    if not exception and app.builder.name == "html":
        site = Path(app.outdir)
        complete_furo(site / "_static")
        write_pages(site)


def complete_furo(static):
    """What Debian's package of Furo lacks, since it is made without Furo's bundlers."""
    style, script = static / "styles/furo.css", static / "scripts/furo.js"
    css = style.read_text()
    css = re.sub(r"@import url\((/javascript/.*?)\);", lambda url: Path(f"/usr/share{url[1]}").read_text(), css)
    if ':not([data-theme="light"])' not in css:
        dark = re.search(r'body\[data-theme="dark"\] (\{.*?\})', css, re.DOTALL)[1]
        css += f'@media screen and (prefers-color-scheme: dark) {{ body:not([data-theme="light"]) {dark} }}\n'
    style.write_text(css + STYLE)
    imported, code = re.match(r'(import .*? from "./gumshoe-patched.js";\n)?(.*)', script.read_text(), re.DOTALL).groups()
    if imported:
        script.write_text((static / "scripts/gumshoe-patched.js").read_text() + code)


def write_pages(site):
    """The texts from which search has its excerpts, where browsers let a page fetch no other: in files."""
    texts = {
        f"{page}.html": re.search(r'<article role="main".*?</article>', html, re.DOTALL)[0]
        for page in ["README", *pages]
        for html in [(site / f"{page}.html").read_text(encoding="utf-8")]
    }
    fetch = "async url => new Response(pages[url.replace(/^[.][/]/, '')])"
    script = f"const pages = {json.dumps(texts)};\nif (location.protocol === 'file:') fetch = {fetch};\n"
    (site / "_static/pages.js").write_text(script)


def setup(app):
    app.connect("source-read", add)
    app.connect("html-page-context", add_script)
    app.connect("build-finished", finish)


project = "Stackweave"
root_doc = "README"
include_patterns = ["docs/**.md", *(f"{page}.md" for page in ["README", *pages])]
exclude_patterns = ["**/target"]
extensions = ["myst_parser", "sphinx.ext.graphviz"]
myst_heading_anchors = 4
graphviz_output_format = "svg"
highlight_language = "none"
html_theme = "furo"
html_title = project
html_copy_source = False
html_use_index = False
html_show_copyright = False
html_show_sphinx = False
