# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
#
# The dumbbell of Zhang and Qiu, figure 2, in ns-2: FTP and web sessions, telnet, CBR over UDP, FTP in the reverse
# path, a pair of nodes for each flow. Arguments are pairs of name and value; the names are the keys of `option`
# below. Prints, from `warmup` to `until`, a line for each class of flows with its mean goodput in bits per second
# of packets (web: while it transfers); with `mixed 1` `ecn_gain`, goodput of ECN-capable FTP over that of others;
# with `trips` (two-way propagation delays in ms, dealt to the FTP sessions in turn) `group_ratio`, goodput of the
# second, fourth... over that of the others; with UDP `udp_loss`.
#
# RED and TCP are set as in bottleneck.tcl, where the reasons are. With gentle RED and `mark_p_` at max_p it marks
# below max_th, and drops from there on.

array set option {
    seed 1  scheme dt  sack 0  ftp 0  web 0  telnet 0  udp 0  back_ftp 0  mixed 0  trips ""
    until 200  warmup 50  jitter 2
    rate_bps 1.544e6  delay_ms 50  buffer 38  min_th 5  max_p 0.1  weight 0.002
    packet 500  page_packets 66  udp_bps 24e3  udp_bytes 210  window 200  think_from 1  think_to 3
}
foreach {name value} $argv {
    if {![info exists option($name)]} { puts stderr "unknown option: $name"; exit 1 }
    set option($name) $value
}
set ecn [expr {[string index $option(scheme) end] eq "e"}]

Queue/RED set bytes_ false
Queue/RED set queue_in_bytes_ false
Queue/RED set mean_pktsize_ $option(packet)
Queue/RED set use_mark_p_ true
Queue/RED set mark_p_ $option(max_p)
Queue/RED set wait_ true
Queue/RED set gentle_ true
Queue/RED set setbit_ $ecn
Queue/RED set q_weight_ $option(weight)
Queue/RED set thresh_ $option(min_th)
Queue/RED set maxthresh_ [expr {3 * $option(min_th)}]
Queue/RED set linterm_ [expr {1.0 / $option(max_p)}]

Agent/TCP set useHeaders_ false
Agent/TCP set packetSize_ $option(packet)
Agent/TCP set window_ $option(window)
Agent/TCP set windowInit_ 1
Agent/TCP set singledup_ 0
Agent/TCP set tcpTick_ 0.1
Agent/TCP set minrto_ 0.2
Agent/TCP set overhead_ [expr {8.0 * $option(packet) / $option(rate_bps)}]

set ns [new Simulator]
$defaultRNG seed $option(seed)
set chance [new RNG]
$chance seed [expr {$option(seed) + 1000}]
set left [$ns node]
set right [$ns node]
set queue [expr {$option(scheme) eq "dt" ? "DropTail" : "RED"}]
$ns duplex-link $left $right $option(rate_bps) $option(delay_ms)ms $queue
$ns queue-limit $left $right $option(buffer)
$ns queue-limit $right $left $option(buffer)
set pairs 0

# Nodes on both sides: the left one, whose link has this delay, and the right one.
proc pair {{delay_ms 1}} {
    global ns left right pairs
    set ends {}
    foreach router [list $left $right] delay [list $delay_ms 1] {
        set node [$ns node]
        $ns duplex-link $node $router 10Mb ${delay}ms DropTail
        $ns queue-limit $node $router 1000
        $ns queue-limit $router $node 1000
        lappend ends $node
    }
    incr pairs
    return $ends
}

# A TCP connection from one node to another; the class is kept by its agent.
proc connection {from to class capable} {
    global ns option classes acked
    set agent [new Agent/TCP/[expr {$option(sack) ? "Sack1" : "Reno"}]]
    set sink [new Agent/TCPSink[expr {$option(sack) ? "/Sack1" : ""}]]
    $agent set ecn_ $capable
    $ns attach-agent $from $agent
    $ns attach-agent $to $sink
    $ns connect $agent $sink
    set classes($agent) $class
    return $agent
}

proc begin_at {} { global chance option; return [$chance uniform 0 $option(jitter)] }

# Web sessions: transfers with think times between; busy() is the time spent in transfers.
proc transfer {agent} {
    global ns option since
    set since($agent) [$ns now]
    $agent advanceby $option(page_packets)
}
Agent/TCP instproc done {} {
    global ns option since busy chance classes
    if {$classes($self) ne "web" || ![info exists since($self)]} { return }
    set busy($self) [expr {$busy($self) + [$ns now] - $since($self)}]
    unset since($self)
    $ns at [expr {[$ns now] + [$chance uniform $option(think_from) $option(think_to)]}] "transfer $self"
}

set number 0
for {set i 0} {$i < $option(ftp)} {incr i} {
    set delay 1
    if {[llength $option(trips)]} {
        set trip [lindex $option(trips) [expr {$i % [llength $option(trips)]}]]
        set delay [expr {$trip / 2.0 - $option(delay_ms) - 1}]
    }
    lassign [pair $delay] a b
    set agent [connection $a $b ftp [expr {$ecn && !($option(mixed) && $number % 2)}]]
    set first($agent) [expr {$number % 2 == 0}]
    set ftp [new Application/FTP]
    $ftp attach-agent $agent
    $ns at [begin_at] "$ftp start"
    incr number
}
for {set i 0} {$i < $option(web)} {incr i} {
    lassign [pair] a b
    set agent [connection $a $b web $ecn]
    set busy($agent) 0.0
    $ns at [begin_at] "transfer $agent"
}
for {set i 0} {$i < $option(telnet)} {incr i} {
    lassign [pair] a b
    set telnet [new Application/Telnet]
    $telnet set interval_ 0
    $telnet attach-agent [connection $a $b telnet $ecn]
    $ns at [begin_at] "$telnet start"
}
for {set i 0} {$i < $option(back_ftp)} {incr i} {
    lassign [pair] a b
    set ftp [new Application/FTP]
    $ftp attach-agent [connection $b $a back-ftp $ecn]
    $ns at [begin_at] "$ftp start"
}
set monitors {}
set sources {}
for {set i 0} {$i < $option(udp)} {incr i} {
    lassign [pair] a b
    set agent [new Agent/UDP]
    set monitor [new Agent/LossMonitor]
    $ns attach-agent $a $agent
    $ns attach-agent $b $monitor
    $ns connect $agent $monitor
    set cbr [new Application/Traffic/CBR]
    $cbr set packetSize_ $option(udp_bytes)
    $cbr set rate_ $option(udp_bps)
    $cbr set random_ 1
    $cbr attach-agent $agent
    $ns at [begin_at] "$cbr start"
    lappend monitors $monitor
}

proc seen {} {
    global classes busy since ns
    set all {}
    foreach agent [array names classes] {
        set time 0.0
        if {[info exists busy($agent)]} {
            set time $busy($agent)
            if {[info exists since($agent)]} { set time [expr {$time + [$ns now] - $since($agent)}] }
        }
        lappend all $agent [list [$agent set ack_] $time]
    }
    return $all
}

proc begin {} {
    global before monitors lost_before arrived_before
    array set before [seen]
    set lost_before 0
    set arrived_before 0
    foreach monitor $monitors {
        incr lost_before [$monitor set nlost_]
        incr arrived_before [$monitor set npkts_]
    }
}

proc average {values} { return [expr "([join $values +]) / [llength $values].0"] }

proc finish {} {
    global option classes before monitors lost_before arrived_before first
    array set after [seen]
    set span [expr {double($option(until) - $option(warmup))}]
    foreach agent [array names classes] {
        lassign $before($agent) packets_then busy_then
        lassign $after($agent) packets_now busy_now
        set time [expr {$classes($agent) eq "web" ? $busy_now - $busy_then : $span}]
        set rate [expr {$time > 0 ? ($packets_now - $packets_then) * 8.0 * $option(packet) / $time : 0.0}]
        lappend rates($classes($agent)) $rate
        if {$classes($agent) eq "ftp"} { lappend half($first($agent)) $rate }
    }
    foreach class [lsort [array names rates]] { puts "$class [average $rates($class)]" }
    if {$option(mixed)} { puts "ecn_gain [expr {[average $half(1)] / [average $half(0)]}]" }
    if {[llength $option(trips)]} { puts "group_ratio [expr {[average $half(0)] / [average $half(1)]}]" }
    if {$option(udp)} {
        set lost -$lost_before
        set arrived -$arrived_before
        foreach monitor $monitors {
            incr lost [$monitor set nlost_]
            incr arrived [$monitor set npkts_]
        }
        puts "udp_loss [expr {double($lost) / ($lost + $arrived)}]"
    }
    exit 0
}

$ns at $option(warmup) "begin"
$ns at $option(until) "finish"
$ns run
