"""Opens every page of a site in headless Chromium, at two widths: no error on the console, pictures are there, nothing is wider than the
page but what scrolls in a box of its own, code only on a phone, where it goes on in the next line. Every link within the site leads to a page and a place on it, and a search finds
what people call things."""
import http.server
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import threading
import urllib.parse

WIDTHS = [420, 1280]
WORDS = ["autorotate", "sideways", "iphone", "color", "jupyter"]
SECONDS = 600  # 50 on two idle cores
# Put before everything else of each page: what goes wrong, told to the page that has it in a frame.
LISTENER = b"""<script>window.qturnErrors = [];
addEventListener('error', e => qturnErrors.push(e.message || 'cannot load ' + (e.target.src || e.target.href)), true);
addEventListener('unhandledrejection', e => qturnErrors.push(String(e.reason)));
for (const kind of ['error', 'warn']) console[kind] = (...said) => qturnErrors.push(said.join(' '));</script>"""
HARNESS = """<!doctype html><meta charset="utf-8"><body><script>
const found = {wrong: [], links: {}, ids: {}}, left = [], later = ms => new Promise(done => setTimeout(done, ms));
for (const page of PAGES) for (const width of WIDTHS) left.push([page, width]);
function look(page, width, frame) {
  const wrong = what => found.wrong.push(`${page} at ${width} pixels: ${what}`);
  const inside = frame.contentWindow, shown = frame.contentDocument, root = shown.documentElement;
  if (!inside.qturnErrors) return wrong('does not open');
  inside.qturnErrors.forEach(wrong);
  if (root.scrollWidth > width) wrong(`is ${root.scrollWidth} pixels wide`);
  const scrolls = e => e && (/auto|scroll/.test(inside.getComputedStyle(e).overflowX) || scrolls(e.parentElement));
  for (const table of shown.querySelectorAll('table'))
    if (table.getBoundingClientRect().right > width + 1 && !scrolls(table.parentElement)) wrong('a table is wider than the page');
  for (const code of shown.querySelectorAll('pre code, div.fragment'))
    if (code.scrollWidth > code.clientWidth + 1)
      wrong(`code is ${code.scrollWidth} pixels wide, and there are ${code.clientWidth}: ${code.innerText.split('\\n').sort((a, b) => b.length - a.length)[0]}`);
  for (const image of shown.images)
    if (!image.complete || !image.naturalWidth) wrong(`${image.src} does not load`);
  if (width !== WIDTHS[0]) return;
  found.links[page] = [...shown.querySelectorAll('a[href]')].map(a => a.href).filter(link => link.startsWith(location.origin));
  found.ids[page] = [...shown.querySelectorAll('[id], a[name]')].flatMap(e => [e.id, e.name]).filter(Boolean);
}
async function work() {
  const frame = document.body.appendChild(document.createElement('iframe'));
  frame.style.height = '900px';
  for (let next; next = left.shift();) {
    const [page, width] = next;
    frame.style.width = width + 'px';
    frame.style.border = 0;
    await new Promise(done => { frame.onload = done; frame.src = '/' + page; });
    await later(40);
    try { look(page, width, frame); } catch (e) { found.wrong.push(`${page}: ${e}`); }
  }
}
async function search(word) {
  const frame = document.body.appendChild(document.createElement('iframe'));
  frame.src = '/index.html?q=' + word;
  for (let tries = 0; tries < 200; ++tries, await later(50))
    if (frame.contentDocument?.querySelector('.md-search-result__item')) return frame.remove();
  found.wrong.push(`a search for ${word} finds no page`);
}
Promise.all([work(), work(), work(), work()]).then(() => Promise.all(WORDS.map(search))).then(() => fetch('/found', {method: 'POST', body: JSON.stringify(found)}));
</script>"""


def chromium():
    return shutil.which("chromium") or shutil.which("google-chrome") or shutil.which("chromium-browser")


def looked_at(site, pages):
    """What the harness found."""
    found, done = [], threading.Event()

    class Handler(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *arguments):
            super().__init__(*arguments, directory=str(site))

        def do_GET(self):
            path = urllib.parse.unquote(self.path.split("?")[0])[1:]
            if path == "harness":
                has_search = (pathlib.Path(site) / "search").exists()
                values = {"PAGES": pages, "WIDTHS": WIDTHS, "WORDS": WORDS if has_search else []}
                said = "".join(f"const {name} = {json.dumps(value)};" for name, value in values.items())
                self.answer(HARNESS.replace("<script>", f"<script>{said}", 1).encode())
            elif path in pages:
                self.answer(re.sub(rb"<html.*?>", lambda begin: begin[0] + LISTENER, (site / path).read_bytes(), count=1))
            else:
                super().do_GET()

        def do_POST(self):
            found.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.answer(b"")
            done.set()

        def answer(self, body):
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server, tempfile.TemporaryDirectory() as profile:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []
        browser = subprocess.Popen(
            [chromium(), "--headless", *sandbox, "--disable-gpu", "--disable-dev-shm-usage", f"--user-data-dir={profile}", "--remote-debugging-port=0",
             f"http://127.0.0.1:{server.server_port}/harness"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        done.wait(SECONDS)
        browser.terminate()
        browser.wait()
        server.shutdown()
    if not found:
        raise SystemExit(f"docs: Chromium did not look at all pages within {SECONDS} s")
    return found[0]


def check(site):
    """Sentences about what is wrong."""
    pages = sorted(str(path.relative_to(site)) for path in site.rglob("*.html") if path.name != "404.html")
    found = looked_at(site, pages)
    wrong = found["wrong"]
    for page, links in found["links"].items():
        for link in sorted(set(links)):
            parts = urllib.parse.urlsplit(link)
            target = urllib.parse.unquote(parts.path)[1:]
            target += "index.html" if target.endswith("/") or not target else ""
            place = urllib.parse.unquote(parts.fragment)
            if not (pathlib.Path(site) / target).is_file():
                wrong.append(f"{page}: a link leads to {target}, which is not there")
            elif place and target in found["ids"] and place not in found["ids"][target]:
                wrong.append(f"{page}: a link leads to {target}#{place}, which is not there")
    return wrong, len(pages)
