"""Adds to the site of docs/: pages at the top of the repository, the README's part on installing, Doxygen's pages if there
are any; and a place in the navigation for pages that mkdocs.yml does not name."""
import pathlib
import re

from mkdocs.structure.files import File

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
API = ROOT / "build/docs_api/html"
TOP = ["CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"]  # become pages of the same name
ELSEWHERE = {"kernels/README.md": "kernels.md"}            # what pages link to outside of docs/


def slug(text, separator):
    """The anchor of a heading, as forges make it and the test `links` wants it."""
    return re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")


def pages_of(nav):
    """Files that a navigation names."""
    for entry in nav if isinstance(nav, list) else nav.values() if isinstance(nav, dict) else [nav]:
        yield from [entry] if isinstance(entry, str) else pages_of(entry)


def on_config(config):
    config["mdx_configs"]["toc"]["slugify"] = slug
    named = set(pages_of(config["nav"]))
    docs = pathlib.Path(config["docs_dir"])
    others = sorted(str(path.relative_to(docs)) for path in docs.rglob("*.md") if str(path.relative_to(docs)) not in named)
    if others:  # pages that mkdocs.yml has no place for yet
        config["nav"].append({"More": others})
    return config


def on_files(files, config):
    for name in TOP:
        files.append(File.generated(config, name, content=of_top((ROOT / name).read_text())))
    for source, name in ELSEWHERE.items():
        files.append(File.generated(config, name, content=re.sub(r"`([^`]*)`\]\([^)]*\)|\]\((?!http)[^)]*\)", "]", (ROOT / source).read_text())))
    install = re.search(r"## Install\n(.*?)\n## ", (ROOT / "README.md").read_text(), re.DOTALL).group(1)
    files.append(File.generated(config, "install.md", content=of_top("# Install\n" + install)))
    for name in ("site.css", "worker.js"):
        files.append(File.generated(config, name, abs_src_path=str(ROOT / "scripts/site" / name)))
    if API.is_dir():
        for path in sorted(API.rglob("*")):
            if path.is_file():
                files.append(File.generated(config, f"api/{path.relative_to(API)}", abs_src_path=str(path)))
    return files


def of_top(text):
    """Links of a page at the top of the repository, as seen from docs/."""
    return re.sub(r"\]\(docs/", "](", text)


def on_page_markdown(markdown, page, config, files):
    depth = page.file.src_uri.count("/")
    up = "../" * (depth + 1)
    for name in TOP:
        markdown = markdown.replace(f"]({up}{name}", f"]({'../' * depth}{name}")
    for source, name in ELSEWHERE.items():
        markdown = markdown.replace(f"]({up}{source}", f"]({'../' * depth}{name}")
    markdown = re.sub(rf"\]\({re.escape(up)}README\.md#install\)", f"]({'../' * depth}install.md)", markdown)
    if page.file.src_uri == "api.md" and API.is_dir():
        markdown += "\n[All headers, with their comments](api/index.html){ .md-button }\n"
    return markdown


def own_worker(html, folders_up):
    """The theme takes the frame that search runs in from a server elsewhere; ours lies beside the pages."""
    return html.replace("https://unpkg.com/iframe-worker/shim", "../" * folders_up + "worker.js")


def on_post_page(output, page, config):
    return own_worker(output, page.file.dest_uri.count("/"))


def on_post_template(output_content, template_name, config):
    return own_worker(output_content, 0)
