#!/usr/bin/env python3
"""Asks a server of `nacre view` what it should answer and much that it should not: hostile.py URL

Every refusal must be a short reply with the right status, or a closed connection; after each the server must still
answer. Prints what was wrong and exits with 1.
"""
import json
import socket
import struct
import sys
import threading
import time

address = sys.argv[1].removeprefix("http://").rstrip("/")
host, port = address.split(":")
failures = []


def talk(raw, timeout=10.0, pause=0.0):
    """Sends bytes, reads to the end; returns (status, head, body). Status 0: the connection was closed without a word."""
    with socket.create_connection((host, int(port)), timeout=timeout) as s:
        for piece in raw if isinstance(raw, list) else [raw]:
            try:
                s.sendall(piece)
            except OSError:
                break
            time.sleep(pause)
        data = b""
        try:
            while piece := s.recv(65536):
                data += piece
        except OSError:
            pass
    head, _, body = data.partition(b"\r\n\r\n")
    words = head.split(b" ", 2)
    return (int(words[1]) if len(words) > 1 and words[1].isdigit() else 0), head.decode("latin-1"), body


def request(target, method="GET", host_header=None, extra="", version="HTTP/1.1"):
    line = f"{method} {target} {version}\r\n"
    if host_header != "":
        line += f"Host: {host_header or address}\r\n"
    return (line + extra + "\r\n").encode("latin-1")


def check(what, status, wanted):
    wanted = wanted if isinstance(wanted, tuple) else (wanted,)
    if status not in wanted:
        failures.append(f"{what}: status {status}, wanted {' or '.join(map(str, wanted))}")


def alive(after):
    status, _, body = talk(request("/api/head"))
    if status != 200 or json.loads(body)["frames"] != 25:
        failures.append(f"after {after} the server does not answer as before: {status}")


# What is there.
status, head, body = talk(request("/"))
check("the page", status, 200)
for header in ("X-Content-Type-Options: nosniff", "Cross-Origin-Resource-Policy: same-origin", "X-Frame-Options: DENY"):
    if header not in head:
        failures.append(f"the page lacks {header}")
if "Access-Control-Allow-Origin" in head:
    failures.append("the page may be read by others")
if b"Content-Security-Policy" not in body or b"<!--nacre-data-->" not in body:
    failures.append("the page is not the page")
for host_header in (address, f"localhost:{port}", f"LocalHost:{port}"):
    check(f"Host: {host_header}", talk(request("/api/head", host_header=host_header))[0], 200)
check("own Origin", talk(request("/api/head", extra=f"Origin: http://{address}\r\n"))[0], 200)
status, head, body = talk(request("/", method="HEAD"))
check("HEAD", status, 200)
if body:
    failures.append("HEAD has a body")
status, _, body = talk(request("/api/frames?first=3&count=2"))
check("frames", status, 200)
if [struct.unpack_from("<II", body, k * (24 + 44 * 3)) for k in range(2)] != [(3, 3), (4, 3)] or len(body) != 2 * (24 + 132):
    failures.append("the frames are not as they should be")
check("bodies", talk(request("/api/bodies?first=0&count=10"))[0], 200)
check("a mesh", talk(request("/api/mesh?row=0"))[0], 200)
check("reports", talk(request("/api/reports?first=0&count=100"))[0], 200)
check("clusters", talk(request("/api/clusters?first=1"))[0], 200)
check("contacts", talk(request("/api/near?first=1"))[0], 200)
check("a tree", talk(request("/api/tree?row=0&depth=3"))[0], 200)

# Names that are not ours: pages from elsewhere, foreign names that resolve to this machine.
for host_header in ("example.org", f"example.org:{port}", "127.0.0.1", "127.0.0.1:1", f"127.0.0.1.example.org:{port}", f"127.0.0.1:{port}@x",
                    f"user@127.0.0.1:{port}", f"127.0.0.1:{port}x", f"127.0.0.1: {port}", f"192.168.0.1:{port}", f"[::1]:{port}", "x" * 3000):
    check(f"Host: {host_header[:40]}", talk(request("/", host_header=host_header))[0], (400, 403))
check("no Host", talk(request("/", host_header=""))[0], (400, 403))
check("no Host, HTTP/1.0", talk(request("/", host_header="", version="HTTP/1.0"))[0], (400, 403))
check("two Hosts", talk(request("/", extra="Host: example.org\r\n"))[0], (400, 403))
for origin in ("http://example.org", "null", f"https://{address}", f"http://{address}.example.org", f"http://{address}/", "file://"):
    check(f"Origin: {origin}", talk(request("/api/head", extra=f"Origin: {origin}\r\n"))[0], 403)
for site in ("cross-site", "same-site", "x"):
    check(f"Sec-Fetch-Site: {site}", talk(request("/api/head", extra=f"Sec-Fetch-Site: {site}\r\n"))[0], 403)
alive("foreign names")

# Paths that are not there, by whatever spelling.
for target in ("/../../../../etc/passwd", "/..%2f..%2fetc/passwd", "/%2e%2e/", "/api", "/api/", "/api/head/", "/api/headx", "/api/head%00", "/API/head",
               "//api/head", "/./api/head", "/api/../api/head", "/api/head;x", "/%61pi/head", "/index.html", "/boxes.nacre", "/api\\head", "/.git/config",
               "*", "http://example.org/", f"http://{address}/etc/passwd", "/" + "a" * 5000):
    check(f"path {target[:40]}", talk(request(target))[0], (0, 400, 403, 404))
for query in ("first=-1", "first=x", "first=1&first=2", "first=99999999999999999999", "count=", "x=1", "first=1;count=2", "first=0x1", "first=1&", "&", "first=1%20"):
    check(f"question {query}", talk(request(f"/api/frames?{query}"))[0], (400, 404))
check("a frame that is not there", talk(request("/api/frames?first=25"))[0], 404)
check("a far frame", talk(request("/api/near?first=1099511627775"))[0], 404)
check("a mesh that is not there", talk(request("/api/mesh?row=7"))[0], 404)
check("a far mesh", talk(request("/api/tree?row=1099511627775"))[0], 404)
status, _, body = talk(request("/api/frames?first=0&count=1099511627775"))
check("a greedy question", status, 200)
if len(body) > 5 << 20:
    failures.append("a reply without bounds")
alive("strange paths")

# Methods and requests that are none.
for method in ("POST", "PUT", "DELETE", "PATCH", "TRACE", "CONNECT", "OPTIONS", "PROPFIND", "BREW"):
    check(method, talk(request("/api/head", method=method, extra="Content-Length: 0\r\n"))[0], (0, 400, 403, 404, 405, 501))
preflight = "Origin: http://example.org\r\nAccess-Control-Request-Method: GET\r\n"
status, head, _ = talk(request("/api/head", method="OPTIONS", extra=preflight))
check("a preflight", status, (403, 405))
if "Access-Control-Allow" in head:
    failures.append("a preflight is granted")
check("a huge header", talk(request("/", extra="X: " + "a" * 100000 + "\r\n"))[0], (0, 400, 413, 431, 500))
check("a thousand headers", talk(request("/", extra="".join(f"X{i}: 1\r\n" for i in range(1000))))[0], (0, 400, 413, 431, 500))
check("a body that is announced", talk(request("/api/head", extra="Content-Length: 99999999999\r\n"))[0], (0, 200, 400, 413))
check("a chunked body", talk(request("/api/head", extra="Transfer-Encoding: chunked\r\n") + b"fffffffffffffff\r\nx")[0], (0, 200, 400, 501))
for raw in (b"\r\n\r\n", b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"\x00" * 500 + b"\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"a" * 300,
            b"GET / HTTP/1.1\r\nHost: a\r\n b: c\r\n\r\n", b"GET /\x01 HTTP/1.1\r\n\r\n", b"A" * 20000):
    check(f"no request: {raw[:20]!r}", talk(raw)[0], (0, 400, 403, 404, 413, 431, 500, 505))
alive("malformed requests")

# There is no WebSocket here: whoever asks for one, and whatever frames follow, gets no for an answer.
upgrade = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
for target in ("/", "/api/head", "/ws"):
    for frame in (b"", b"\x81\xff\xff\xff\xff\xff\xff\xff\xff\xff", b"\xff" * 64, b"\x81\x05hello", b"\x88\x7f" + b"\x00" * 8):
        check(f"WebSocket at {target}", talk(request(target, extra=upgrade) + frame)[0], (200, 400, 403, 404))
alive("WebSocket frames")

# Questions that wait for new frames: a finished run has none, and is answered at once.
start = time.monotonic()
check("a question that need not wait", talk(request("/api/head?after=1099511627775"))[0], 200)
check("a wait without an end", talk(request("/api/head?after=99999999999999"))[0], 400)
if time.monotonic() - start > 1:
    failures.append("a finished run lets others wait")

# Slow clients: as many as there are threads hold their connections; who is not slow is answered all the same, soon.
slow = []
for i in range(24):
    s = socket.create_connection((host, int(port)), timeout=10)
    s.sendall(b"GET / HTTP/1.1\r\nHo" if i % 2 else b"G")
    slow.append(s)
start = time.monotonic()
alive("slow clients")
waited = time.monotonic() - start
if waited > 5:
    failures.append(f"slow clients held up another one for {waited:.1f} s")


def drip(results):
    """A byte every half second: the whole request would take minutes."""
    begin = time.monotonic()
    status, _, _ = talk([bytes([b]) for b in request("/")], timeout=20, pause=0.5)
    results.append((status, time.monotonic() - begin))


results = []
thread = threading.Thread(target=drip, args=(results,))
thread.start()
for s in slow:
    s.settimeout(8)
    try:
        while s.recv(65536):
            pass
    except socket.timeout:
        failures.append("a slow client was not dropped within 8 s")
        break
    except OSError:
        pass
    s.close()
thread.join(40)
if not results or results[0][0] == 200:
    failures.append("a dripping client was answered, or never dropped")

# A client that asks and does not read.
deaf = []
for _ in range(20):
    s = socket.socket()
    s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    s.connect((host, int(port)))
    s.sendall(request("/"))
    deaf.append(s)
start = time.monotonic()
alive("deaf clients")
waited = time.monotonic() - start
if waited > 8:
    failures.append(f"deaf clients held up another one for {waited:.1f} s")
for s in deaf:
    s.close()
alive("all of it")

for failure in failures:
    print("  ", failure)
sys.exit(1 if failures else 0)
