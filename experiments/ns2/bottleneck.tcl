# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
#
# One congested router between many senders and one receiver, in ns-2. Arguments are pairs of name and value; the
# names are the keys of `option` below. Prints goodput in bits per second, packets that the bottleneck sent, and with
# `monitor 1` the mean queue in packets, all from `warmup` to `until`.
#
# What differs from ns-2's defaults is set here, with the reason: the TCP and the RED of the studies that are compared,
# as `bottleneck.py` configures the hosts and the P4 program.

array set option {
    seed 1  flows 120  until 100  warmup 20  monitor 0
    delays_ms "145 45 5"  access_bps 600e6  rate_bps 10e6  delay_ms 5
    scheme ecn  min_th 5  max_th 30  max_p 0.5  weight 0.002  wait 1  buffer 50
    packet 1000  window 30  jitter 0.5  second_start 2  era 2.35  tcp ""
}
foreach {name value} $argv {
    if {![info exists option($name)]} { puts stderr "unknown option: $name"; exit 1 }
    set option($name) $value
}

# Depths in packets, not bytes (the default since 2001); the marks below max_th and drops above it of RFC 3168's
# first router, which `use_mark_p_` would replace by drops as soon as p is 0.1, and which ecnm does without: it marks up to a
# probability that is never reached; fixed weight. Spacing is ns-2's own (`wait_ true`) unless the scenario asks for that of the
# paper of 1993.
Queue/RED set bytes_ false
Queue/RED set queue_in_bytes_ false
Queue/RED set mean_pktsize_ $option(packet)
Queue/RED set use_mark_p_ [expr {$option(scheme) eq "ecnm"}]
Queue/RED set mark_p_ 2
Queue/RED set wait_ $option(wait)
Queue/RED set gentle_ [expr {$option(scheme) eq "red-gentle" || $option(scheme) eq "ecn-gentle"}]
Queue/RED set setbit_ [string match ecn* $option(scheme)]
Queue/RED set q_weight_ $option(weight)
Queue/RED set thresh_ $option(min_th)
Queue/RED set maxthresh_ $option(max_th)
Queue/RED set linterm_ [expr {1.0 / $option(max_p)}]

# Packets of `packet` bytes and ACKs of 40; no limited transmit; ticks of 100 ms, RTO from 1 s on.
Agent/TCP set useHeaders_ false
Agent/TCP set packetSize_ $option(packet)
Agent/TCP set window_ $option(window)
Agent/TCP set singledup_ 0
Agent/TCP set tcpTick_ 0.1
Agent/TCP set minrto_ 1.0
Agent/TCP set rtxcur_init_ 1.0
Agent/TCP set ecn_ [string match ecn* $option(scheme)]

# With `era 2001` the TCP that ns-2 had by default until May 2001, as far as 2.35 can still be set to it.
if {$option(era) eq "2001"} {
    foreach {name value} {
        windowInit_ 1  syn_ false  delay_growth_ false  minrto_ 0  maxrto_ 100000  rtxcur_init_ 6.0
        rfc2988_ false  timerfix_ false  precisionReduce_ false
    } {
        Agent/TCP set $name $value
    }
}
foreach {name value} $option(tcp) { Agent/TCP set $name $value }

set ns [new Simulator]
$defaultRNG seed $option(seed)
set starts [new RNG]
$starts seed [expr {$option(seed) + 1000}]
set router [$ns node]
set receiver [$ns node]
set queue [expr {$option(scheme) eq "drop-tail" ? "DropTail" : "RED"}]
$ns simplex-link $router $receiver $option(rate_bps) $option(delay_ms)ms $queue
$ns simplex-link $receiver $router $option(rate_bps) $option(delay_ms)ms DropTail
$ns queue-limit $router $receiver $option(buffer)
$ns queue-limit $receiver $router 100000
set agents {}
set access [expr {$option(access_bps) / $option(flows)}]
for {set i 0} {$i < $option(flows)} {incr i} {
    set node [$ns node]
    set delay [lindex $option(delays_ms) [expr {$i % [llength $option(delays_ms)]}]]
    $ns duplex-link $node $router $access ${delay}ms DropTail
    $ns queue-limit $node $router 1000
    $ns queue-limit $router $node 1000
    set agent [new Agent/TCP/Reno]
    set sink [new Agent/TCPSink]
    $ns attach-agent $node $agent
    $ns attach-agent $receiver $sink
    $ns connect $agent $sink
    set ftp [new Application/FTP]
    $ftp attach-agent $agent
    set start [expr {($i < $option(flows) / 2 ? 0 : $option(second_start)) + [$starts uniform 0 $option(jitter)]}]
    $ns at $start "$ftp start"
    lappend agents $agent
}

proc acked {} {
    global agents
    set sum 0
    foreach agent $agents { incr sum [$agent set ack_] }
    return $sum
}

# A counter of all senders together.
proc total {counter} {
    global agents
    set sum 0
    foreach agent $agents { incr sum [$agent set $counter] }
    return $sum
}

# Packet-seconds in the queue so far, the packet in service not counted.
proc queued {} {
    global ns integrator
    $integrator newpoint [$ns now] [$integrator set lasty_]
    return [$integrator set sum_]
}

if {$option(monitor)} {
    set monitor [$ns monitor-queue $router $receiver ""]
    set integrator [$monitor get-pkts-integrator]
}

proc begin {} {
    global option acked_before queued_before before drops_before monitor agents ack_of
    set acked_before [acked]
    foreach agent $agents { set ack_of($agent) [$agent set ack_] }
    foreach counter {nrexmitpack_ nrexmit_} { set before($counter) [total $counter] }
    if {$option(monitor)} { set queued_before [queued]; set drops_before [$monitor set pdrops_] }
}

proc finish {} {
    global option acked_before queued_before before drops_before monitor agents ack_of
    set silent 0
    foreach agent $agents { incr silent [expr {[$agent set ack_] == $ack_of($agent)}] }
    puts "locked_out $silent"
    puts "retransmissions [expr {[total nrexmitpack_] - $before(nrexmitpack_)}]"
    puts "timeouts [expr {[total nrexmit_] - $before(nrexmit_)}]"
    if {$option(monitor)} { puts "drops [expr {[$monitor set pdrops_] - $drops_before}]" }
    set span [expr {double($option(until) - $option(warmup))}]
    set packets [expr {[acked] - $acked_before}]
    puts "goodput_bps [expr {$packets * 8.0 * ($option(packet) - 40) / $span}]"
    if {$option(monitor)} { puts "queue_mean [expr {([queued] - $queued_before) / $span}]" }
    exit 0
}

$ns at $option(warmup) "begin"
$ns at $option(until) "finish"
$ns run
