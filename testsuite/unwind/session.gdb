# The scripted session: breakpoints by line and name, stepping, backtraces, variables
set pagination off
set height 0
set width 0
set confirm off
set disable-randomization on
set print frame-arguments all
break debugger.c:14
break handler
break cmp
list cmp
ptype struct pt
run >/dev/null
bt
info locals
next
info locals
next
info locals
finish
info locals
step
step
step
bt
up
info locals
down
delete 1
continue
bt -frame-info location-and-address
bt
finish
bt 3
continue
bt
info args
next
info locals
next
next
finish
continue
bt
up
up
info locals
delete 3
continue
bt
finish
up
up
frame function main
info locals
info source
continue
quit
