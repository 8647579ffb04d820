# SPDX-License-Identifier: GPL-3.0-or-later
"""A page in a real browser, without a window, opened from disk."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
needs_browser = pytest.mark.skipif(BROWSER is None, reason="there is no Chromium here to open the page in")

WATCH = """<script>
const faultsOfScripts = [];
addEventListener("error", (event) => faultsOfScripts.push(String(event.message)));
</script>"""
TELL = """<script>
const told = document.createElement("pre");
told.id = "told-to-the-test";
const seen = (() => { %s })();
told.textContent = JSON.stringify({ seen, errors: faultsOfScripts });
document.body.append(told);
</script>"""


def opened(page: Path, *more: str) -> tuple[str, str]:
    """Return a page's elements as the browser has them in the end, and what it says of them."""
    words = [
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--enable-logging=stderr",
        "--virtual-time-budget=2000",
    ]
    words += [f"--user-data-dir={page.parent / 'browser'}", "--dump-dom", *more, page.as_uri()]
    done = subprocess.run([str(BROWSER), *words], capture_output=True, text=True, timeout=120, check=False)
    assert "</html>" in done.stdout, done.stderr
    return done.stdout, "\n".join(line for line in done.stderr.splitlines() if "CONSOLE" in line)


def seen_in(page: Path, script: str) -> Any:
    """Return what a script returns that runs in a page, which must raise no error.

    The page's own policy lets no other script run, so that a copy without it is opened.
    """
    text = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", page.read_text(encoding="utf-8"))
    text = text.replace("<head>", f"<head>{WATCH}")
    copy = page.with_name("watched.html")
    copy.write_text(text.replace("</body>", TELL % script + "</body>"), encoding="utf-8")
    elements, said = opened(copy)
    (told,) = re.findall(r'<pre id="told-to-the-test">(.*?)</pre>', elements, re.DOTALL)
    values = json.loads(told.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&"))
    assert (values["errors"], said) == ([], "")
    return values["seen"]
