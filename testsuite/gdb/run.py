#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""run.py: debuggers see in an instrumented program what they see in the plain one.

The sample is linked plainly, by the null link and with counted blocks.  gdb plays the same
session in each, and what it says must be alike but for addresses; llvm-dwarfdump --verify must
find no fault in what ldx links that is not in the plain program.
Exit status: 0 passed, 1 failed, 77 skipped.
"""
import collections
import difflib
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
STAGE = os.environ.get('LDX_STAGE') or os.path.join(HERE, '../../build/stage')
DWARFDUMP = shutil.which('llvm-dwarfdump-19') or shutil.which('llvm-dwarfdump')
HOWS = {'null': 'none', 'blocks': 'blocks'}
FLAGS = {'gcc': ['-O0 -g', '-O2 -g', '-O1 -g -gdwarf-4'],
         'clang-19': ['-O0 -g', '-O2 -g', '-O1 -g -gdwarf-4']}

# LINE(word): the line of sample.c with that word
SESSIONS = {
    'functions': """
        break sum
        run
        info args
        bt
        next
        next
        info locals
        step
        bt
        finish
        continue""",
    'lines': """
        break LINE(product)
        run
        info args
        info locals
        bt
        next
        next
        next
        next
        continue
        bt
        info source
        delete
        continue""",
    'libc': """
        break LINE(compare)
        run
        bt
        up
        up
        info frame
        delete
        finish""",
    'signal': """
        handle SIGUSR1 nostop noprint pass
        break on_signal
        run
        bt
        info args
        next
        finish
        delete
        break LINE(below)
        continue
        bt
        info locals
        finish""",
    'stepping': """
        break main
        run
        """ + 'step\n' * 12 + """
        bt
        info locals
        until
        next
        info line
        """,
    'static': """
        info scope sum
        info line scale
        info address depth
        list by_key
        ptype struct pair""",
}


def sh(cmd, **kw):
    return subprocess.run(cmd, capture_output=True, text=True, errors='replace', **{'timeout': 120, **kw})


def must(cmd):
    r = sh(cmd)
    if r.returncode:
        sys.exit('%s: %s' % (' '.join(cmd), r.stdout + r.stderr))
    return r.stdout.strip()


def link(cc, flags, tmp):
    """The program in its forms: {how: path}, all of one name."""
    obj, progs = tmp + '/sample.o', {}
    must([cc, *flags.split(), '-c', HERE + '/sample.c', '-o', obj])
    bindir = must([STAGE + '/bin/ldx', '--ldx-print=bindir'])
    for how in ('plain', *HOWS):
        os.makedirs('%s/%s' % (tmp, how), exist_ok=True)
        progs[how] = '%s/%s/prog' % (tmp, how)
        extra = ['-B' + bindir, '-Wl,--instrument=' + HOWS[how]] if how in HOWS else []
        must([cc, *flags.split(), *extra, obj, '-o', progs[how]])
    return progs


def commands(session):
    lines = open(HERE + '/sample.c').read().split('\n')
    at = {m[1]: i + 1 for i, l in enumerate(lines) if (m := re.search(r'LINE (\w+)', l))}
    text = re.sub(r'LINE\((\w+)\)', lambda m: 'sample.c:%d' % at[m[1]], session)
    return [c.strip() for c in text.split('\n') if c.strip()]


def gdb(prog, session):
    """What gdb says, without what tells one run or one program from another."""
    cmd = ['gdb', '-nx', '-q', '-batch', '-iex', 'set debuginfod enabled off',
           '-iex', 'set auto-load off']
    for c in commands(session):
        # batch mode gives up at the first error
        cmd += ['-ex', 'echo >> %s\\n' % c, '-ex', 'python\ntry:\n gdb.execute("%s")\n'
                'except gdb.error as e:\n print("error:", e)' % c]
    env = dict(os.environ, LDX_PROFILE_FILE=os.path.dirname(prog) + '/profile', LC_ALL='C')
    r = sh([*cmd, prog], env=env, stdin=subprocess.DEVNULL)
    text = r.stdout + r.stderr
    text = re.sub(r'0x[0-9a-f]+', '0x', text.replace(os.path.dirname(prog), '@'))
    text = re.sub(r'\(process \d+\)|\+\d+>', '', text)
    return [l for l in text.split('\n') if not l.startswith(('[', 'Using host', 'warning: Error dis'))]


def compare_sessions(title, progs):
    bad = 0
    for name, session in SESSIONS.items():
        want = gdb(progs['plain'], session)
        for how in HOWS:
            got = gdb(progs[how], session)
            if got != want:
                bad += 1
                print('FAIL %s, %s: session "%s"' % (title, how, name))
                print('\n'.join(difflib.unified_diff(want, got, 'plain', how, lineterm='')))
    return bad


def complaints(prog):
    """How often each fault is found; None: the verifier itself does not end."""
    try:
        r = sh([DWARFDUMP, '--verify', prog], timeout=10)
    except subprocess.TimeoutExpired:
        return None
    text = re.sub(r'0x[0-9a-f]+', '0x', r.stdout + r.stderr)
    return collections.Counter(l for l in text.split('\n') if re.match(' *(error|warning)', l)
                               and not l.startswith('error: Aggregated'))


def verify_dwarf(title, progs):
    bad, want = 0, complaints(progs['plain'])
    if want is None:  # llvm-dwarfdump 19 is lost in what gcc writes when it optimises
        print('%s: llvm-dwarfdump --verify does not end for the plain program' % title)
        return 0
    for how in HOWS:
        got = complaints(progs[how])
        new = collections.Counter(['does not end']) if got is None else got - want
        if new:
            bad += 1
            print('FAIL %s, %s: llvm-dwarfdump --verify:' % (title, how))
            print('\n'.join('%d times: %s' % (n, l) for l, n in new.items()))
    return bad


def main():
    if not os.access(STAGE + '/bin/ldx', os.X_OK):
        print('skipped: no bin/ldx in %s: ./dev build first' % STAGE)
        return 77
    if not shutil.which('gdb') and not DWARFDUMP:
        print('skipped: neither gdb nor llvm-dwarfdump is there')
        return 77
    bad = n = 0
    for cc in filter(shutil.which, FLAGS):
        for flags in FLAGS[cc]:
            with tempfile.TemporaryDirectory() as tmp:
                title, progs = '%s %s' % (cc, flags), link(cc, flags, tmp)
                if shutil.which('gdb'):
                    bad += compare_sessions(title, progs)
                if DWARFDUMP:
                    bad += verify_dwarf(title, progs)
                n += 1
    print('%d programs, %d failures' % (n, bad))
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
