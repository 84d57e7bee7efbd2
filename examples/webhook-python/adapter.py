"""A complete adapter for Zonewright: it keeps zones in a JSON file.

Replace `read_zones` and `write_zones` by calls to what serves your zones.
"""

import hmac
import json
import os
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlsplit

TOKEN = os.environ.get("TOKEN", "")
FILE = os.environ.get("FILE", "zones.json")
HOST = os.environ.get("HOST", "127.0.0.1")
PORT = int(os.environ.get("PORT", "8053"))

# A call has at most 4,000,000 characters of changes.
MOST_BYTES = 16_000_000

CAPABILITIES = {
    "protocol": 1,
    "recordTypes": "any",
    "minTtl": 0,
    "maxTtl": 2147483647,
    "atomic": True,
    "granularity": "rrset",
}


class Refusal(Exception):
    """The status and the body of an answer that refuses a call."""

    def __init__(self, status, message, **fields):
        self.status = status
        self.body = {"message": message, **fields}


def read_zones():
    """Returns the RRsets of each zone, by name and type: "www A"."""
    try:
        with open(FILE, encoding="utf-8") as file:
            return json.load(file)
    except FileNotFoundError:
        return {}


def write_zones(zones):
    """Replaces the file at once, so that a crash leaves the old content or the new."""
    with open(FILE + ".new", "w", encoding="utf-8") as file:
        json.dump(zones, file, indent=2)
        file.flush()
        os.fsync(file.fileno())
    os.replace(FILE + ".new", FILE)


def answer(method, path, query, body):
    """Returns the body of the answer to a call."""
    parts = [unquote(part) for part in path.split("/")[1:]]
    zones = read_zones()
    match [method, *parts]:
        case ["GET", ""]:
            return CAPABILITIES
        case ["GET", "zones"]:
            return {"zones": list(zones), "next": None}
        case ["POST", "zones"]:
            zones.setdefault(read_name(body), {})
            write_zones(zones)
            return {}
        case [_, "zones", zone, _] if zone not in zones:
            raise Refusal(404, "There is no such zone.")
        case ["GET", "zones", zone, "rrsets"]:
            only = query.get("name", [None])[0]
            return {"rrsets": list(listed(zones[zone], only)), "next": None}
        case ["POST", "zones", zone, "changes"]:
            changes = read_changes(body)
            change(zones[zone], changes)
            write_zones(zones)
            return {"outcomes": [{"ok": True} for _ in changes]}
    raise Refusal(404, "There is no such call.")


def read_name(body):
    match body:
        case {"name": str(name)}:
            return name
    raise Refusal(400, "The body needs a name.")


def read_changes(body):
    match body:
        case {"changes": [*changes]} if all(is_change(one) for one in changes):
            return changes
    raise Refusal(400, "The body needs changes as the protocol describes them.")


def is_change(one):
    match one:
        case {"name": str(), "type": str(), "before": before, "after": after}:
            return is_content(before) and is_content(after)
    return False


def is_content(content):
    match content:
        case None:
            return True
        case {"ttl": int(), "values": [*values]}:
            return all(isinstance(value, str) for value in values)
    return False


def listed(rrsets, only):
    for key, content in rrsets.items():
        name, type_ = key.split(" ")
        if only in (None, name):
            yield {"name": name, "type": type_, **content}


def change(rrsets, changes):
    """Makes all changes. To refuse one, return "ok": False and a "message" as its outcome, and write nothing."""
    stale = [index for index, one in enumerate(changes) if not holds(rrsets, one)]
    if stale:
        raise Refusal(409, "The zone was changed meanwhile.", stale=stale)
    for one in changes:
        key = f"{one['name']} {one['type']}"
        if one["after"] is None:
            rrsets.pop(key, None)
        else:
            rrsets[key] = one["after"]


def holds(rrsets, one):
    """Whether an RRset is still as the change says."""
    content, before = rrsets.get(f"{one['name']} {one['type']}"), one["before"]
    if content is None or before is None:
        return content is before
    return content["ttl"] == before["ttl"] and sorted(content["values"]) == sorted(before["values"])


class Handler(BaseHTTPRequestHandler):
    # Seconds for each read, so that a connection without a call ends.
    timeout = 10
    # Calls overlap: one at a time reads the zones, edits them and writes them back.
    turn = threading.Lock()

    def respond(self):
        try:
            body = self.read_body()
            url = urlsplit(self.path)
            with self.turn:
                content = answer(self.command, url.path, parse_qs(url.query), body)
            self.send(200, content)
        except Refusal as refusal:
            self.send(refusal.status, refusal.body)
        except TimeoutError:
            raise
        except Exception as error:
            print(f"{type(error).__name__}: {error}", file=sys.stderr)
            self.send(500, {"message": "The adapter failed. See its log."})

    do_GET = do_POST = respond

    def read_body(self):
        """Returns the body of a call whose token is right."""
        size = self.headers.get("content-length", "0")
        if not size.isdecimal() or int(size) > MOST_BYTES:
            raise Refusal(413, f"The body may have {MOST_BYTES} bytes.")
        given = self.headers.get("authorization", "").encode()
        if not hmac.compare_digest(given, f"Bearer {TOKEN}".encode()):
            self.skip(int(size))
            raise Refusal(401, "The token is wrong.")
        text = self.rfile.read(int(size))
        try:
            return json.loads(text) if text else None
        except ValueError:
            raise Refusal(400, "The body is not JSON.") from None

    def skip(self, size):
        """Reads a body without keeping it: a connection that is closed with unread data loses its answer."""
        while size > 0 and (part := self.rfile.read(min(size, 65_536))):
            size -= len(part)

    def send(self, status, body):
        text = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_request(self, code="-", size="-"):
        """Logs no calls."""


if __name__ == "__main__":
    if len(TOKEN) < 16:
        sys.exit("Set TOKEN to a secret of at least 16 characters.")
    server = ThreadingHTTPServer((HOST, PORT), Handler)
    print(f"Listening on http://{HOST}:{server.server_port}", flush=True)
    server.serve_forever()
