# Reads a PNG of 8-bit RGB (what nacre render writes): picture(path).at(x, y) with x, y in [0, 1] from the upper left corner.
import struct
import zlib


class picture:
    def __init__(self, path):
        data = open(path, "rb").read()
        assert data[:8] == b"\x89PNG\r\n\x1a\n", path
        at, packed = 8, b""
        while at < len(data):
            size, kind = struct.unpack_from(">I4s", data, at)
            body = data[at + 8 : at + 8 + size]
            assert zlib.crc32(kind + body) == struct.unpack_from(">I", data, at + 8 + size)[0], "checksum"
            if kind == b"IHDR":
                self.width, self.height, depth, colours = struct.unpack_from(">IIBB", body)
                assert (depth, colours) == (8, 2)
            elif kind == b"IDAT":
                packed += body
            at += size + 12
        self.rows = self.unfilter(zlib.decompress(packed))

    def unfilter(self, raw):
        stride, rows, above = 3 * self.width, [], bytearray(3 * self.width)
        for y in range(self.height):
            how, row = raw[y * (stride + 1)], bytearray(raw[y * (stride + 1) + 1 : (y + 1) * (stride + 1)])
            for i in range(stride):
                a = row[i - 3] if i >= 3 else 0
                b, c = above[i], above[i - 3] if i >= 3 else 0
                near = min((abs(b - c), 0, a), (abs(a - c), 1, b), (abs(a + b - 2 * c), 2, c))[2]
                row[i] = (row[i] + (0, a, b, (a + b) // 2, near)[how]) % 256
            rows.append(row)
            above = row
        return rows

    def pixel(self, x, y):
        return tuple(self.rows[y][3 * x : 3 * x + 3])

    # The mean of 5 x 5 pixels.
    def at(self, x, y):
        x, y = round(x * self.width - 0.5), round(y * self.height - 0.5)
        near = [self.pixel(i, j) for i in range(x - 2, x + 3) for j in range(y - 2, y + 3)]
        return tuple(sum(p[k] for p in near) / len(near) for k in range(3))


class png16:
    """A PNG of 16-bit grey: at(x, y) with whole x, y from the upper left corner."""

    def __init__(self, path):
        data = open(path, "rb").read()
        at, packed = 8, b""
        while at < len(data):
            size, kind = struct.unpack_from(">I4s", data, at)
            body = data[at + 8 : at + 8 + size]
            if kind == b"IHDR":
                self.width, self.height, depth, colours = struct.unpack_from(">IIBB", body)
                assert (depth, colours) == (16, 0)
            elif kind == b"IDAT":
                packed += body
            at += size + 12
        raw, stride = zlib.decompress(packed), 2 * self.width
        self.rows, above = [], bytearray(stride)
        for y in range(self.height):
            how, row = raw[y * (stride + 1)], bytearray(raw[y * (stride + 1) + 1 : (y + 1) * (stride + 1)])
            for i in range(stride):
                a, b, c = row[i - 2] if i >= 2 else 0, above[i], above[i - 2] if i >= 2 else 0
                near = min((abs(b - c), 0, a), (abs(a - c), 1, b), (abs(a + b - 2 * c), 2, c))[2]
                row[i] = row[i] + (0, a, b, (a + b) // 2, near)[how] & 255
            self.rows.append(struct.unpack(f">{self.width}H", row))
            above = row

    def at(self, x, y):
        return self.rows[y][x]
