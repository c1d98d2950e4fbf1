#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""run.py COMPILER: debuggers see in an instrumented program what they see in the plain one.

sample.c and sample.cpp are linked plainly, by the null link and with counted blocks and edges.  gdb plays
the same sessions in each, and what it says must be alike but for addresses; addr2line must tell
the same lines of the code of each function, in the same order.
Exit status: 0 passed, 1 failed, 77 skipped.
"""
import difflib
import itertools
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
STAGE = os.environ.get('LDX_STAGE') or os.path.join(HERE, '../../build/stage')
CXX = {'gcc': 'g++', 'clang-19': 'clang++-19'}
HOWS = {'null': 'none', 'blocks': 'blocks', 'edges': 'edges'}
# source and flags
PROGRAMS = [('sample.c', '-O0 -g'), ('sample.c', '-O2 -g'), ('sample.c', '-O2 -g -gdwarf-4 -static'),
            ('sample.cpp', '-O0 -g -gdwarf-4'), ('sample.cpp', '-O2 -g')]

# LINE(word): the line of the source with that word
SESSIONS = {'sample.c': {
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
    'called by libc': """
        break LINE(compare)
        run
        bt
        up
        up
        info frame
        delete
        finish""",
    'inside libc': """
        tbreak qsort
        run
        bt
        stepi 20
        bt
        finish
        tbreak raise
        continue
        bt
        handle SIGUSR1 stop
        continue
        bt
        finish
        finish
        tbreak write
        continue
        bt
        up
        continue""",
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
    'not running': """
        info scope sum
        info line scale
        info address depth
        list by_key
        ptype struct pair"""},
    'sample.cpp': {
    'exceptions': """
        catch throw
        catch catch
        run
        bt
        up
        info locals
        continue
        bt
        delete
        tbreak LINE(caught)
        continue
        info locals
        bt
        finish""",
    'cleanup': """
        break LINE(closing) if closed == 1
        run
        bt
        info args
        up
        info locals
        finish""",
    'inlined': """
        break LINE(push)
        break LINE(adding)
        run
        bt
        info args
        info locals
        continue 4
        bt
        info frame
        info locals
        up
        info locals
        next
        delete
        finish""",
    'thread': """
        break LINE(thread)
        run
        bt
        info args
        step
        bt
        next
        next
        info locals
        delete
        continue""",
    'stepping': """
        break main
        run
        """ + 'step\n' * 14 + """
        bt
        tbreak LINE(lambda)
        continue
        info locals
        step
        next
        next""",
    'not running': """
        info line guarded
        ptype Stack<int>
        info scope fill
        break Stack<int>::push
        info breakpoints"""}}

# What gdb runs: batch mode gives up at the first error, and the program's output comes in between.
# A local variable holds what its function found on the stack until control has passed its declaration.
PLAYER = """
import gdb
import re


def undeclared():
    frame, names = gdb.selected_frame(), set()
    block, line = frame.block(), frame.find_sal().line
    while block:
        names |= {s.name for s in block if s.is_variable and s.line >= line}
        block = None if block.function else block.superblock
    return names


def info_locals():
    text = gdb.execute('info locals', to_string=True)
    for name in undeclared():
        text = re.sub('(?m)^' + name + ' = .*', name, text)
    gdb.write(text)


for command in %r:
    gdb.write('>> ' + command + '\\n')
    try:
        info_locals() if command == 'info locals' else gdb.execute(command)
    except RuntimeError as e:
        gdb.write('error: %%s\\n' %% e)
    gdb.flush()
"""


def sh(cmd, **kw):
    return subprocess.run(cmd, capture_output=True, text=True, errors='replace', **{'timeout': 300, **kw})


def must(cmd, **kw):
    r = sh(cmd, **kw)
    if r.returncode:
        sys.exit('%s: %s' % (' '.join(cmd), r.stdout + r.stderr))
    return r.stdout.strip()


def link(cc, source, flags, tmp):
    """The program in its forms: {how: path}, all of one name."""
    cc = CXX[cc] if source.endswith('.cpp') else cc
    obj, progs = tmp + '/sample.o', {}
    must([cc, *flags.split(), '-c', os.path.join(HERE, source), '-o', obj])
    bindir = must([STAGE + '/bin/ldx', '--ldx-print=bindir'])
    for how in ('plain', *HOWS):
        os.makedirs('%s/%s' % (tmp, how), exist_ok=True)
        progs[how] = '%s/%s/prog' % (tmp, how)
        ld = ['-B' + bindir + '/', '-Wl,--ldx-strict', '-Wl,--instrument=' + HOWS[how]] if how in HOWS else []
        must([cc, *flags.split(), *ld, obj, '-o', progs[how]])
    return progs


def functions(prog):
    """(address, size, name) of the functions that have a size."""
    rows = [l.split() for l in must(['nm', '-S', '--defined-only', prog]).split('\n')]
    return [(int(r[0], 16), int(r[1], 16), r[3]) for r in rows if len(r) == 4 and r[2] in 'tTwWi']


def one_name(prog):
    """A name for each alias; which one gdb chooses depends on the order of the symbols."""
    at = {}
    for address, _, name in functions(prog):
        at.setdefault(address, []).append(name)
    return {n: min(names) for names in at.values() for n in names}


def commands(source, session):
    lines = open(os.path.join(HERE, source)).read().split('\n')
    at = {m[1]: i + 1 for i, l in enumerate(lines) if (m := re.search(r'LINE (\w+)', l))}
    text = re.sub(r'LINE\((\w+)\)', lambda m: '%s:%d' % (source, at[m[1]]), session)
    return [c.strip() for c in text.split('\n') if c.strip()]


def gdb(prog, source):
    """What gdb says, without what tells one run or one program from another."""
    here = os.path.dirname(prog)
    todo = ['set confirm off', 'set print thread-events off', 'set print inferior-events off']
    for name, session in SESSIONS[source].items():
        todo += ['echo session %s\\n' % name, *commands(source, session), 'kill', 'delete']
    with open(here + '/player.py', 'w') as f:
        f.write(PLAYER % todo)
    r = sh(['gdb', '-nx', '-q', '-batch', '-iex', 'set debuginfod enabled off', '-iex', 'set auto-load off',
            '-x', here + '/player.py', prog], stdin=subprocess.DEVNULL,
           env=dict(os.environ, LDX_PROFILE_FILE=here + '/profile', LC_ALL='C'))
    names = one_name(prog)
    # decimal: half an address, where the compiler's location of an argument is wrong
    variable = r'0x[0-9a-f]+|\b\d{9,}\b|\(process \d+\)|\(LWP \d+\)|\+\d+>'
    text = re.sub(variable, '', (r.stdout + r.stderr).replace(here, '@'))
    # in glibc's signal(), declared long before they are set
    text = re.sub(r'(?m)^(oact|act) = .*', r'\1', text)
    # which of glibc's lines, whose source is not there, are told again depends on time
    text = re.sub(r'(?m)^\d+\t(in )?\./.*\n', '', text)
    text = re.sub(r'\b(\w+) \(', lambda m: names.get(m[1], m[1]) + ' (', text)
    return [l for l in text.split('\n') if not l.startswith(('[', 'Using host', 'warning: Error dis'))]


def lines(prog, names):
    """{function: what addr2line says of its bytes, without repetitions}"""
    said = {}
    for start, size, name in functions(prog):
        if name in names:
            text = must(['addr2line', '-i', '-a', '-e', prog],
                        input='\n'.join(hex(start + i) for i in range(size)))
            places = re.split(r'^0x[0-9a-f]+\n', text, flags=re.M)[1:]
            said[name] = [p.strip() for p, _ in itertools.groupby(places)]
    return said


def differences(title, want, got):
    if want == got:
        return 0
    print('FAIL', title)
    print('\n'.join(difflib.unified_diff(want, got, 'plain', 'instrumented', lineterm='')))
    return 1


def compare(cc, source, flags):
    """The number of differences."""
    bad = 0
    with tempfile.TemporaryDirectory() as tmp:
        progs = link(cc, source, flags, tmp)
        own = {n for _, _, n in functions(tmp + '/sample.o')}
        says = {how: gdb(p, source) for how, p in progs.items()}
        told = {how: lines(p, own) for how, p in progs.items()}
        for how in HOWS:
            title = '%s %s %s, %s' % (cc, source, flags, how)
            bad += differences('%s: gdb' % title, says['plain'], says[how])
            for f in own:
                bad += differences('%s: addr2line in %s' % (title, f), told['plain'][f], told[how].get(f, []))
        print('%s %s %s: %d lines from gdb, %d places in %d functions' % (
            cc, source, flags, len(says['plain']), sum(map(len, told['plain'].values())), len(own)), flush=True)
    return bad


def main():
    cc = sys.argv[1]
    if not os.access(STAGE + '/bin/ldx', os.X_OK):
        print('skipped: no bin/ldx in %s: ./dev build first' % STAGE)
        return 77
    for tool in (cc, CXX[cc], 'gdb', 'addr2line'):
        if not shutil.which(tool):
            print('skipped: no', tool)
            return 77
    bad = sum(compare(cc, *p) for p in PROGRAMS)
    print('%d failures' % bad)
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
