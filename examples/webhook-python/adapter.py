"""A complete adapter for Zonewright: it keeps zones in a JSON file.

Replace `read_zones` and `write_zones` by calls to what serves your zones.
"""

import hmac
import json
import os
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.parse import parse_qs, unquote, urlsplit

TOKEN = os.environ.get("TOKEN", "")
FILE = os.environ.get("FILE", "zones.json")
HOST = os.environ.get("HOST", "127.0.0.1")
PORT = int(os.environ.get("PORT", "8053"))

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
            zones.setdefault(body["name"], {})
            write_zones(zones)
            return {}
        case [_, "zones", zone, _] if zone not in zones:
            raise Refusal(404, "There is no such zone.")
        case ["GET", "zones", zone, "rrsets"]:
            only = query.get("name", [None])[0]
            return {"rrsets": list(listed(zones[zone], only)), "next": None}
        case ["POST", "zones", zone, "changes"]:
            change(zones[zone], body["changes"])
            write_zones(zones)
            return {"outcomes": [{"ok": True} for _ in body["changes"]]}
    raise Refusal(404, "There is no such call.")


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
            del rrsets[key]
        else:
            rrsets[key] = one["after"]


def holds(rrsets, one):
    """Whether an RRset is still as the change says."""
    content, before = rrsets.get(f"{one['name']} {one['type']}"), one["before"]
    if content is None or before is None:
        return content is before
    return content["ttl"] == before["ttl"] and sorted(content["values"]) == sorted(before["values"])


class Handler(BaseHTTPRequestHandler):
    def respond(self):
        try:
            # Read in any case: a connection that is closed with unread data loses its answer.
            text = self.rfile.read(int(self.headers.get("content-length", 0)))
            given = self.headers.get("authorization", "").encode()
            if not hmac.compare_digest(given, f"Bearer {TOKEN}".encode()):
                raise Refusal(401, "The token is wrong.")
            url = urlsplit(self.path)
            body = json.loads(text) if text else None
            self.send(200, answer(self.command, url.path, parse_qs(url.query), body))
        except Refusal as refusal:
            self.send(refusal.status, refusal.body)
        except Exception as error:
            print(f"{type(error).__name__}: {error}", file=sys.stderr)
            self.send(500, {"message": "The adapter failed. See its log."})

    do_GET = do_POST = respond

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
    server = HTTPServer((HOST, PORT), Handler)
    print(f"Listening on http://{HOST}:{server.server_port}", flush=True)
    server.serve_forever()
