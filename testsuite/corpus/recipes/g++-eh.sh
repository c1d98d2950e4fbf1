# SPDX-License-Identifier: Apache-2.0
. "$CORPUS/lib-gcc.sh"
COMPARE=no  # thousands of links alike
FEATURES="C++ exceptions: g++.dg/eh and g++.old-deja/g++.eh, g++.mike/eh*"
runtests() { torture --opts "-O0;-O2" g++.dg/eh g++.old-deja/g++.eh 'g++.old-deja/g++.mike/eh*.C'; }
