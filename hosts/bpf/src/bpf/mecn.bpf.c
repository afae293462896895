// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: GPL-2.0-only

/* Multi-level ECN for the kernel's TCP.
 *
 * Sender:   mecn_ack (sock_ops) reads (CWR,ECE) of each acknowledgement just before tcp_ack() works on it;
 *           the congestion control answers with the reduction of that level. That there is one reduction
 *           per window, and how the window shrinks, is the kernel's own ECN machinery (tcp_enter_cwr, PRR).
 * Receiver: mecn_echo (tcx or clsact egress) writes the highest level received since the last acknowledgement into
 *           (CWR,ECE). The level comes from the kernel's byte counters for each ECN codepoint; kernels
 *           without them get mecn_count (ingress).
 *
 * Congestion control and reader serve every network namespace of the machine; the echo is attached to interfaces.
 * Betas and prefixes are kept for each namespace, under its cookie (never used twice until the machine is booted).
 * For peers outside the prefixes, and in all other namespaces, the kernel's echo stays as it is, and ECE means
 * what RFC 3168 says.
 */
#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

char _license[] SEC("license") = "GPL";

/* Preprocessor constants of the kernel, which BTF does not hold. */
#define TCX_NEXT (-1)
#define SOL_TCP 6
#define AF_INET 2
#define AF_INET6 10
#define ETH_P_IP 0x0800
#define ETH_P_IPV6 0x86DD
#define IP_OFFSET 0x1fff
#define TCP_CONG_NON_RESTRICTED 1
#define ECN_MODE_RFC3168 0x01 /* tcp_sock.ecn_flags; TCP_ECN_OK before 6.18 */
#define ECN_MODE_ACCECN 0x10
#define TH_SYN 0x02 /* byte 13 of the TCP header */
#define TH_ACK 0x10
#define TH_ECE 0x40
#define TH_CWR 0x80
#define ECN_ECT_1 1
#define ECN_CE 3
#define MAX_L4_OFFSET 512
#define CURRENT_NETNS (-1L) /* BPF_F_CURRENT_NETNS, which not every kernel's BTF has */
#define TCP_BPF_CB_FLAGS 1008 /* TCP_BPF_SOCK_OPS_CB_FLAGS, an enumerator of 6.12 and later */

/* The first four are also the values of (CWR,ECE), except that CLASSIC is never on the wire of an echo. */
enum cause {
	CAUSE_NONE = 0,
	CAUSE_INCIPIENT = 1,
	CAUSE_CLASSIC = 2, /* ECE from a peer outside the prefixes */
	CAUSE_MODERATE = 3,
	CAUSE_LOSS = 4,	   /* fast recovery */
	CAUSE_TIMEOUT = 5,
	CAUSE_LOCAL = 6, /* this host's own queue refused a segment, or no reader is attached */
};

/* The order is the loader's (src/statistics.rs). */
enum counter {
	REDUCED_INCIPIENT,
	REDUCED_MODERATE,
	REDUCED_CLASSIC,
	REDUCED_LOSS,
	REDUCED_TIMEOUT,
	REDUCED_LOCAL,
	HEARD_INCIPIENT,
	HEARD_MODERATE,
	HEARD_CLASSIC,
	ECHOED_NONE,
	ECHOED_INCIPIENT,
	ECHOED_MODERATE,
	ECHO_FAILED,
	EVENTS_LOST,
	COUNTERS
};

/* beta outside the namespaces that are up, in thousandths: the window shrinks by cwnd / beta. */
#define BETA_RFC5681 2000
#define NAMESPACES 4096
#define PREFIXES 65536

/* The byte counters of 6.18 and later; a flavour, so that this compiles against older kernels too. */
struct tcp_sock___counters {
	u32 received_ecn_bytes[3]; /* ECT(1), ECT(0), CE */
} __attribute__((preserve_access_index));

struct peer_state {
	__u32 echoed_ect1, echoed_ce; /* receiver: counters as of the last segment sent */
	__u32 seen_ect1, seen_ce;     /* receiver without the kernel's counters: kept by mecn_count */
	__u32 heard;		      /* sender: level of the acknowledgement in hand ... */
	__u32 heard_ack;	      /* ... and which one that is */
	__u64 heard_at;
	__u32 generation; /* receiver: of the scope for which echoed_* and outside are valid */
	__u32 outside;	  /* receiver: the peer is in none of the prefixes */
};

struct {
	__uint(type, BPF_MAP_TYPE_SK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct peer_state);
} sockets SEC(".maps");

/* A network namespace in which it is up. The loader writes it last and removes it first, so that whoever finds it
 * finds its prefixes too. The layout is the loader's (src/instance.rs). */
struct scope {
	__u32 beta_incipient, beta_moderate, beta_loss; /* in thousandths */
	__u32 generation;				/* another one for each `up`; never 0 */
	__u32 count_on_ingress;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, NAMESPACES);
	__type(key, __u64);
	__type(value, struct scope);
} scopes SEC(".maps");

/* The cookie is matched in full: length counts its 64 bits and those of the prefix. */
struct prefix4 {
	__u32 length;
	__u8 namespace[8];
	__u8 address[4];
};

struct prefix6 {
	__u32 length;
	__u8 namespace[8];
	__u8 address[16];
};

struct {
	__uint(type, BPF_MAP_TYPE_LPM_TRIE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, PREFIXES);
	__type(key, struct prefix4);
	__type(value, __u8);
} prefixes4 SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_LPM_TRIE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, PREFIXES);
	__type(key, struct prefix6);
	__type(value, __u8);
} prefixes6 SEC(".maps");

/* For each namespace that is up; under OTHERS what happens in all others. */
struct counts {
	__u64 values[COUNTERS];
};

#define OTHERS 0 /* no namespace has this cookie */

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, NAMESPACES);
	__type(key, __u64);
	__type(value, struct counts);
} counters SEC(".maps");

/* What the loader was told, what it changed and `down` must restore, as JSON; for each namespace, and under OTHERS
 * for the machine. It lives and dies with the pins. */
struct settings {
	char json[4096];
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, NAMESPACES);
	__type(key, __u64);
	__type(value, struct settings);
} settings SEC(".maps");

/* One reduction. The layout is the loader's (src/events.rs). */
struct event {
	__u64 time_ns; /* CLOCK_MONOTONIC */
	__u64 namespace;
	__u32 cause;
	__u32 family;
	__u8 local[16];
	__u8 remote[16];
	__u16 local_port;
	__u16 remote_port;
	__u32 cwnd_before; /* segments */
	__u32 cwnd_after;
	__u32 srtt_us;
};

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 18);
} events SEC(".maps");

extern void tcp_reno_cong_avoid(struct sock *sk, __u32 ack, __u32 acked) __ksym;
extern __u32 tcp_reno_undo_cwnd(struct sock *sk) __ksym;

static __always_inline __u64 namespace_of(struct tcp_sock *tp)
{
	return tp->inet_conn.icsk_inet.sk.__sk_common.skc_net.net->net_cookie;
}

static __always_inline void count(__u64 namespace, enum counter which)
{
	struct counts *counts = bpf_map_lookup_elem(&counters, &namespace);
	__u64 others = OTHERS;

	if (!counts)
		counts = bpf_map_lookup_elem(&counters, &others);
	if (counts)
		counts->values[which]++;
}

/* Whether the peer is in one of the prefixes. An IPv4 peer of an IPv6 socket counts as IPv4. */
static __always_inline bool in_prefixes(struct bpf_sock *sk, __u64 namespace)
{
	struct prefix4 key4 = {.length = 64 + 32};
	struct prefix6 key6 = {.length = 64 + 128};

	__builtin_memcpy(key4.namespace, &namespace, 8);
	__builtin_memcpy(key6.namespace, &namespace, 8);
	if (sk->family == AF_INET) {
		__u32 address = sk->dst_ip4;

		__builtin_memcpy(key4.address, &address, 4);
		return bpf_map_lookup_elem(&prefixes4, &key4);
	}
	if (sk->family != AF_INET6)
		return false;
	__u32 a = sk->dst_ip6[0], b = sk->dst_ip6[1], c = sk->dst_ip6[2], d = sk->dst_ip6[3];

	if (!a && !b && c == bpf_htonl(0xffff)) {
		__builtin_memcpy(key4.address, &d, 4);
		return bpf_map_lookup_elem(&prefixes4, &key4);
	}
	__builtin_memcpy(key6.address, &a, 4);
	__builtin_memcpy(key6.address + 4, &b, 4);
	__builtin_memcpy(key6.address + 8, &c, 4);
	__builtin_memcpy(key6.address + 12, &d, 4);
	return bpf_map_lookup_elem(&prefixes6, &key6);
}

/* ---- sender: congestion control ---- */

SEC("struct_ops/mecn_init")
void BPF_PROG(mecn_init, struct sock *sk)
{
	int flags = BPF_SOCK_OPS_PARSE_ALL_HDR_OPT_CB_FLAG;

	bpf_sk_storage_get(&sockets, sk, 0, BPF_SK_STORAGE_GET_F_CREATE);
	/* mecn_ack sees the acknowledgements of sockets with this congestion control, and of no others. Kernels before
	 * 6.12 refuse; there mecn_ack does the same for sockets that have this congestion control as they connect. */
	bpf_setsockopt(sk, SOL_TCP, TCP_BPF_CB_FLAGS, &flags, sizeof(flags));
}

/* Why ssthresh() was called. tcp_enter_cwr() leaves undo_marker and prior_ssthresh zero; recovery has set
 * undo_marker before, a timeout has set prior_ssthresh. */
static __always_inline enum cause cause_of(struct tcp_sock *tp, struct peer_state *state)
{
	if (tp->undo_marker)
		return CAUSE_LOSS;
	if (tp->prior_ssthresh)
		return CAUSE_TIMEOUT;
	/* A level belongs to the acknowledgement it came with, never to a later one. */
	if (state && state->heard && state->heard_ack == tp->snd_una && state->heard_at == tp->tcp_mstamp)
		return state->heard;
	return CAUSE_LOCAL;
}

static __always_inline void report(struct sock *sk, struct tcp_sock *tp, __u64 namespace, enum cause cause,
				   __u32 after)
{
	struct event *event = bpf_ringbuf_reserve(&events, sizeof(*event), 0);

	if (!event) {
		count(namespace, EVENTS_LOST);
		return;
	}
	event->time_ns = bpf_ktime_get_ns();
	event->namespace = namespace;
	event->cause = cause;
	event->family = sk->__sk_common.skc_family;
	__builtin_memset(event->local, 0, sizeof(event->local));
	__builtin_memset(event->remote, 0, sizeof(event->remote));
	if (event->family == AF_INET) {
		__u32 local = sk->__sk_common.skc_rcv_saddr, remote = sk->__sk_common.skc_daddr;

		__builtin_memcpy(event->local, &local, 4);
		__builtin_memcpy(event->remote, &remote, 4);
	} else {
		BPF_CORE_READ_INTO(&event->local, sk, __sk_common.skc_v6_rcv_saddr.in6_u.u6_addr8);
		BPF_CORE_READ_INTO(&event->remote, sk, __sk_common.skc_v6_daddr.in6_u.u6_addr8);
	}
	event->local_port = sk->__sk_common.skc_num;
	event->remote_port = bpf_ntohs(sk->__sk_common.skc_dport);
	event->cwnd_before = tp->snd_cwnd;
	event->cwnd_after = after;
	event->srtt_us = tp->srtt_us >> 3;
	bpf_ringbuf_submit(event, 0);
}

SEC("struct_ops/mecn_ssthresh")
__u32 BPF_PROG(mecn_ssthresh, struct sock *sk)
{
	struct tcp_sock *tp = (struct tcp_sock *)sk;
	struct peer_state *state = bpf_sk_storage_get(&sockets, sk, 0, 0);
	__u64 namespace = namespace_of(tp);
	struct scope *scope = bpf_map_lookup_elem(&scopes, &namespace);
	__u32 cwnd = tp->snd_cwnd, beta = scope ? scope->beta_loss : BETA_RFC5681, cut, after;
	enum cause cause = cause_of(tp, state);

	switch (cause) {
	case CAUSE_INCIPIENT:
		if (scope)
			beta = scope->beta_incipient;
		count(namespace, REDUCED_INCIPIENT);
		break;
	case CAUSE_MODERATE:
		if (scope)
			beta = scope->beta_moderate;
		count(namespace, REDUCED_MODERATE);
		break;
	case CAUSE_CLASSIC:
		count(namespace, REDUCED_CLASSIC);
		break;
	case CAUSE_LOSS:
		count(namespace, REDUCED_LOSS);
		break;
	case CAUSE_TIMEOUT:
		count(namespace, REDUCED_TIMEOUT);
		break;
	default:
		count(namespace, REDUCED_LOCAL);
	}
	if (state)
		state->heard = CAUSE_NONE;
	/* The loader lets no beta below 1 pass; a division by zero gives 0 in BPF. */
	cut = (__u64)cwnd * 1000 / beta;
	/* Rounding down must not swallow the signal: below beta segments a part of the window is less than one. */
	if (!cut)
		cut = 1;
	/* RFC 5681, equation (4): never below two segments. */
	after = cwnd > cut + 2 ? cwnd - cut : 2;
	report(sk, tp, namespace, cause, after);
	return after;
}

SEC("struct_ops/mecn_cong_avoid")
void BPF_PROG(mecn_cong_avoid, struct sock *sk, __u32 ack, __u32 acked)
{
	tcp_reno_cong_avoid(sk, ack, acked);
}

SEC("struct_ops/mecn_undo_cwnd")
__u32 BPF_PROG(mecn_undo_cwnd, struct sock *sk)
{
	return tcp_reno_undo_cwnd(sk);
}

SEC(".struct_ops.link")
struct tcp_congestion_ops mecn = {
	.init = (void *)mecn_init,
	.ssthresh = (void *)mecn_ssthresh,
	.cong_avoid = (void *)mecn_cong_avoid,
	.undo_cwnd = (void *)mecn_undo_cwnd,
	/* Without it, a namespace that refuses the name as its default leaks a reference to this map. */
	.flags = TCP_CONG_NON_RESTRICTED,
	.name = "mecn",
};

/* ---- sender: reader of acknowledgements ---- */

/* Have the kernel show the acknowledgements of a socket that has just connected, if the congestion control is ours. */
static __always_inline void listen_to(struct bpf_sock_ops *ctx, struct bpf_sock *sk)
{
	struct tcp_sock *tp = sk ? bpf_skc_to_tcp_sock(sk) : NULL;
	char name[16];

	if (!tp || bpf_core_read(name, sizeof(name), &tp->inet_conn.icsk_ca_ops->name))
		return;
	if (name[0] == 'm' && name[1] == 'e' && name[2] == 'c' && name[3] == 'n' && !name[4])
		bpf_sock_ops_cb_flags_set(ctx,
					  ctx->bpf_sock_ops_cb_flags | BPF_SOCK_OPS_PARSE_ALL_HDR_OPT_CB_FLAG);
}

SEC("sockops")
int mecn_ack(struct bpf_sock_ops *ctx)
{
	struct bpf_sock *sk = ctx->sk;
	struct tcphdr *header = ctx->skb_data;
	struct peer_state *state;
	struct tcp_sock *tp;
	__u64 namespace;
	__u32 flags;

	if (ctx->op != BPF_SOCK_OPS_PARSE_HDR_OPT_CB) {
		if (ctx->op == BPF_SOCK_OPS_ACTIVE_ESTABLISHED_CB || ctx->op == BPF_SOCK_OPS_PASSIVE_ESTABLISHED_CB)
			listen_to(ctx, sk);
		ctx->reply = -1; /* the kernel's own values for timeouts, windows, ... */
		return 1;
	}
	if (!sk || (void *)(header + 1) > ctx->skb_data_end)
		return 1;
	flags = ctx->skb_tcp_flags;
	if (!(flags & TH_ECE) || (flags & TH_SYN))
		return 1;
	tp = bpf_skc_to_tcp_sock(sk);
	if (!tp || (tp->ecn_flags & (ECN_MODE_RFC3168 | ECN_MODE_ACCECN)) != ECN_MODE_RFC3168)
		return 1;
	state = bpf_sk_storage_get(&sockets, sk, 0, 0); /* sockets of this congestion control have it */
	if (!state)
		return 1;
	namespace = namespace_of(tp);
	if (!bpf_map_lookup_elem(&scopes, &namespace) || !in_prefixes(sk, namespace)) {
		state->heard = CAUSE_CLASSIC;
		count(namespace, HEARD_CLASSIC);
	} else if (flags & TH_CWR) {
		state->heard = CAUSE_MODERATE;
		count(namespace, HEARD_MODERATE);
	} else {
		state->heard = CAUSE_INCIPIENT;
		count(namespace, HEARD_INCIPIENT);
	}
	state->heard_ack = bpf_ntohl(header->ack_seq);
	state->heard_at = tp->tcp_mstamp;
	return 1;
}

/* ---- receiver: echo ---- */

/* The counters of marked data received on this socket. */
static __always_inline void received(struct tcp_sock *tp, struct peer_state *state, struct scope *scope,
				     __u32 *ect1, __u32 *ce)
{
	struct tcp_sock___counters *counted = (void *)tp;

	if (bpf_core_field_exists(counted->received_ecn_bytes) && !scope->count_on_ingress) {
		*ect1 = counted->received_ecn_bytes[0];
		*ce = counted->received_ecn_bytes[2];
	} else {
		/* volatile: clang must not make one load, from either pointer, of both; the verifier refuses that. */
		*ect1 = *(volatile __u32 *)&state->seen_ect1;
		*ce = *(volatile __u32 *)&state->seen_ce;
	}
}

SEC("tcx/egress")
int mecn_echo(struct __sk_buff *ctx)
{
	struct sk_buff *skb = (void *)ctx; /* what it is to the kernel; only for reading by bpf_core_read */
	struct bpf_sock *sk = ctx->sk;
	__u32 ect1, ce, offset, level;
	struct peer_state *state;
	struct scope *scope;
	struct tcp_sock *tp;
	__u64 namespace;
	__u8 header[20], flags;
	__be16 before, after;

	if (!sk || !(sk = bpf_sk_fullsock(sk)))
		return TCX_NEXT;
	tp = bpf_skc_to_tcp_sock(sk);
	if (!tp || (tp->ecn_flags & (ECN_MODE_RFC3168 | ECN_MODE_ACCECN)) != ECN_MODE_RFC3168)
		return TCX_NEXT;
	/* The kernel knows where TCP begins, whatever link layer and IPv6 extension headers come before. */
	offset = (__u32)BPF_CORE_READ(skb, transport_header) -
		 (__u32)(BPF_CORE_READ(skb, data) - BPF_CORE_READ(skb, head));
	if (offset > MAX_L4_OFFSET || bpf_skb_load_bytes(ctx, offset, header, sizeof(header)))
		return TCX_NEXT;
	/* A packet in a tunnel keeps the socket of what it carries, but not its ports. */
	if (*(__be16 *)header != bpf_htons(sk->src_port) || *(__be16 *)(header + 2) != sk->dst_port)
		return TCX_NEXT;
	if ((header[13] & TH_SYN) || !(header[13] & TH_ACK))
		return TCX_NEXT;
	namespace = namespace_of(tp);
	scope = bpf_map_lookup_elem(&scopes, &namespace);
	if (!scope)
		return TCX_NEXT;
	state = bpf_sk_storage_get(&sockets, sk, 0, BPF_SK_STORAGE_GET_F_CREATE);
	if (!state)
		return TCX_NEXT;
	received(tp, state, scope, &ect1, &ce);
	if (state->generation != scope->generation) {
		state->generation = scope->generation;
		state->outside = !in_prefixes(sk, namespace);
		/* A connection older than this `up`: what was marked before is not news. */
		if (tp->segs_out > 2) {
			state->echoed_ect1 = ect1;
			state->echoed_ce = ce;
		}
	}
	if (state->outside)
		return TCX_NEXT;
	level = CAUSE_NONE;
	if (ce != state->echoed_ce)
		level = CAUSE_MODERATE;
	else if (ect1 != state->echoed_ect1)
		level = CAUSE_INCIPIENT;
	state->echoed_ect1 = ect1;
	state->echoed_ce = ce;

	flags = header[13] & ~TH_ECE; /* the kernel repeats ECE until it sees CWR; a level is said once */
	if (level == CAUSE_MODERATE) {
		flags |= TH_CWR | TH_ECE;
		count(namespace, ECHOED_MODERATE);
	} else if (level == CAUSE_INCIPIENT) {
		flags = (flags & ~TH_CWR) | TH_ECE;
		count(namespace, ECHOED_INCIPIENT);
	} else {
		count(namespace, ECHOED_NONE); /* CWR without ECE is this host's own and stays */
	}
	if (flags == header[13])
		return TCX_NEXT;
	before = *(__be16 *)(header + 12);
	header[13] = flags;
	after = *(__be16 *)(header + 12);
	if (bpf_l4_csum_replace(ctx, offset + 16, before, after, 2) ||
	    bpf_skb_store_bytes(ctx, offset + 12, &after, 2, 0))
		count(namespace, ECHO_FAILED);
	return TCX_NEXT;
}

/* ---- receiver without the kernel's counters: count marked segments as they arrive ---- */

SEC("tcx/ingress")
int mecn_count(struct __sk_buff *ctx)
{
	struct bpf_sock_tuple tuple = {};
	struct peer_state *state;
	struct tcp_sock *tp;
	struct bpf_sock *sk;
	__u32 l4, ecn;

	if (ctx->protocol == bpf_htons(ETH_P_IP)) {
		struct iphdr ip;

		if (bpf_skb_load_bytes_relative(ctx, 0, &ip, sizeof(ip), BPF_HDR_START_NET))
			return TCX_NEXT;
		ecn = ip.tos & 3;
		if (ip.protocol != IPPROTO_TCP || !(ecn & ECN_ECT_1) || (ip.frag_off & bpf_htons(IP_OFFSET)))
			return TCX_NEXT;
		l4 = ip.ihl * 4;
		tuple.ipv4.saddr = ip.saddr;
		tuple.ipv4.daddr = ip.daddr;
		if (bpf_skb_load_bytes_relative(ctx, l4, &tuple.ipv4.sport, 4, BPF_HDR_START_NET))
			return TCX_NEXT;
		sk = bpf_skc_lookup_tcp(ctx, &tuple, sizeof(tuple.ipv4), CURRENT_NETNS, 0);
	} else if (ctx->protocol == bpf_htons(ETH_P_IPV6)) {
		struct ipv6hdr ip;

		if (bpf_skb_load_bytes_relative(ctx, 0, &ip, sizeof(ip), BPF_HDR_START_NET))
			return TCX_NEXT;
		ecn = (ip.flow_lbl[0] >> 4) & 3;
		if (ip.nexthdr != IPPROTO_TCP || !(ecn & ECN_ECT_1))
			return TCX_NEXT;
		__builtin_memcpy(tuple.ipv6.saddr, &ip.saddr, sizeof(tuple.ipv6.saddr));
		__builtin_memcpy(tuple.ipv6.daddr, &ip.daddr, sizeof(tuple.ipv6.daddr));
		if (bpf_skb_load_bytes_relative(ctx, sizeof(ip), &tuple.ipv6.sport, 4, BPF_HDR_START_NET))
			return TCX_NEXT;
		sk = bpf_skc_lookup_tcp(ctx, &tuple, sizeof(tuple.ipv6), CURRENT_NETNS, 0);
	} else {
		return TCX_NEXT;
	}
	if (!sk)
		return TCX_NEXT;
	tp = bpf_skc_to_tcp_sock(sk);
	state = tp ? bpf_sk_storage_get(&sockets, tp, 0, BPF_SK_STORAGE_GET_F_CREATE) : NULL;
	if (state && ecn == ECN_CE)
		state->seen_ce++;
	else if (state)
		state->seen_ect1++;
	bpf_sk_release(sk);
	return TCX_NEXT;
}
