#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random instructions, as objdump lists them: those with a memory operand, and what changes control.
  invented.py CPU N SEED
"""
import random
import sys

R = random.randrange


def numbers(n):
    return bytes(R(256) for _ in range(n))


def x86_operand(lanes):
    mod, rm, out = R(3), 4 if lanes else R(8), b""
    base = rm
    if rm == 4:
        out = numbers(1)
        base = out[0] & 7
    out = bytes([mod << 6 | R(8) << 3 | rm]) + out
    if mod == 1:
        return out + numbers(1)
    return out + (numbers(4) if mod == 2 or base == 5 and (rm == 5 or rm == 4) else b"")


def x86_64():
    kind, op = R(10), R(256)
    space = random.choice([1, 2, 2, 3])
    if kind < 4:
        out = bytes([random.choice([0x67, 0x64, 0x65, 0xf0])]) if R(20) == 0 else b""
        out += bytes([random.choice([0x66, 0x66, 0xf2, 0xf3])]) if R(3) == 0 else b""
        out += bytes([0x40 | R(16)]) if R(2) else b""
        out += random.choice([b"", b"\x0f", b"\x0f\x38", b"\x0f\x3a"]) + bytes([op]) + x86_operand(False)
    elif kind < 7:
        out = bytes([0xc4, R(8) << 5 | space, R(256), op]) + x86_operand(space == 2 and 0x90 <= op <= 0x93)
    else:
        lanes = space == 2 and (0x90 <= op <= 0x93 or 0xa0 <= op <= 0xa3)
        mask = R(8) if lanes or R(2) else 0
        last = R(4) << 5 | mask | 8 * R(2) | (0x10 if R(5) == 0 else 0) | (0x80 if R(6) == 0 and mask else 0)
        out = bytes([0x62, R(16) << 4 | space, R(256) | 4, last, op]) + x86_operand(lanes)
    return [" ".join("%02x" % b for b in (out + numbers(4))[:15])]


def aarch64():
    w = R(1 << 32)
    if R(8):
        return ["%08x" % (w & ~0x0a000000 | 0x08000000)]
    return ["%08x" % random.choice([w & 0xfc000000 | R(64), w & ~0x1e000000 | 0x14000000, 0xd61f0000 | R(8) << 21 | R(32) << 5])]


def riscv64():
    if R(3) == 0:
        return ["%04x" % (R(1 << 14) << 2 | R(3))]
    op = random.choice([0x03, 0x07, 0x23, 0x27, 0x2f, 0x2f, 0x63, 0x67, 0x6f])
    return ["%08x" % (R(1 << 25) << 7 | op)]


def mips():
    def plain():
        return R(1 << 32) if R(2) else R(32) << 26 | 1 << 31 | R(1 << 26)
    branch = random.choice([R(8) << 26, (16 + R(8)) << 26, 17 << 26 | 8 << 21, 0x8, 0x9]) | R(1 << 16) * (R(2) or 1)
    return ["%08x" % (branch | R(32) << 21 | R(32) << 16), "%08x" % plain()] if R(3) == 0 else ["%08x" % plain()]


def main():
    cpu, n, seed = sys.argv[1:]
    random.seed(int(seed))
    invent = mips if cpu.startswith("mips") else globals()[cpu]
    at = 0
    for _ in range(int(n)):
        for word in invent():
            print("%x:\t%s \tinvented" % (at, word))
            at += 15 if " " in word else len(word) // 2
        at += 64


if __name__ == "__main__":
    main()
