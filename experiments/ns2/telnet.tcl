# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
#
# The times between packets of ns-2's telnet source (tcplib's distribution), from which the quantiles in
# hosts/traffic/src/telnet.rs come:
#
#   ns experiments/ns2/telnet.tcl SEED | awk '{ if ($2 in last) print $1 - last[$2]; last[$2] = $1 }' | sort -g
#
# Two hundred sources for 2000 s; prints time and source of each packet.

set ns [new Simulator]
$defaultRNG seed [lindex $argv 0]
set a [$ns node]
set b [$ns node]
$ns duplex-link $a $b 1000Mb 1ms DropTail
$ns queue-limit $a $b 100000
set trace [open "| awk {\$1 == \"+\" { print \$2, \$8 }}" w]
$ns trace-queue $a $b $trace
for {set i 0} {$i < 200} {incr i} {
    set agent [new Agent/UDP]
    $agent set fid_ $i
    set sink [new Agent/Null]
    $ns attach-agent $a $agent
    $ns attach-agent $b $sink
    $ns connect $agent $sink
    set telnet [new Application/Telnet]
    $telnet set interval_ 0
    $telnet attach-agent $agent
    $ns at 0.0 "$telnet start"
}
$ns at 2000 "close $trace; exit 0"
$ns run
