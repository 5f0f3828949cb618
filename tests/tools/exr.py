# Reads an uncompressed OpenEXR of 32-bit floats: exr(path).at(x, y) is the list of the channels' values (Y, or R, G, B).
import struct


class exr:
    def __init__(self, path):
        data = open(path, "rb").read()
        magic, version = struct.unpack_from("<II", data)
        assert (magic, version) == (20000630, 2), path
        at, self.attributes = 8, {}
        while data[at]:
            name, kind = (data[at:].split(b"\0", 2)[k].decode() for k in (0, 1))
            at += len(name) + len(kind) + 2
            size = struct.unpack_from("<I", data, at)[0]
            self.attributes[name] = kind, data[at + 4 : at + 4 + size]
            at += 4 + size
        at += 1
        assert self.attributes["compression"] == ("compression", b"\0"), self.attributes
        low_x, low_y, high_x, high_y = struct.unpack("<4i", self.attributes["dataWindow"][1])
        self.width, self.height = high_x - low_x + 1, high_y - low_y + 1
        channels, self.channels = self.attributes["channels"][1], []
        while channels[0]:
            name = channels.split(b"\0", 1)[0].decode()
            kind, linear, sx, sy = struct.unpack_from("<IIII", channels, len(name) + 1)
            assert (kind, sx, sy) == (2, 1, 1), name
            self.channels.append(name)
            channels = channels[len(name) + 17 :]
        assert self.channels == sorted(self.channels), self.channels
        starts = struct.unpack_from(f"<{self.height}Q", data, at)
        self.rows = []
        for y, start in enumerate(starts):
            row, size = struct.unpack_from("<iI", data, start)
            assert row == y and size == 4 * self.width * len(self.channels)
            self.rows.append(struct.unpack_from(f"<{size // 4}f", data, start + 8))
        assert starts[-1] + 8 + 4 * self.width * len(self.channels) == len(data)

    def at(self, x, y):
        return [self.rows[y][c * self.width + x] for c in reversed(range(len(self.channels)))]
