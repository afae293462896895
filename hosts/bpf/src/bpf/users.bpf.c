// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: GPL-2.0-only

/* Finds the sockets that use the congestion control, in every network namespace, with the process that
 * holds them. A socket no process holds any more (closing) is not found. */
#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

char _license[] SEC("license") = "GPL";

#define AF_INET 2
#define AF_INET6 10

const volatile char wanted[16];

/* One socket. The layout is the loader's (src/users.rs). */
struct user {
	__u64 namespace;
	__u32 pid;
	__u32 family;
	__u8 local[16];
	__u8 remote[16];
	__u16 local_port;
	__u16 remote_port;
	__u32 cwnd;
	char command[16];
};

SEC("iter/task_file")
int mecn_users(struct bpf_iter__task_file *ctx)
{
	struct task_struct *task = ctx->task;
	struct file *file = ctx->file;
	struct user user = {};
	struct socket *socket;
	struct sock *sk;
	char name[16];

	if (!task || !file)
		return 0;
	socket = bpf_sock_from_file(file);
	if (!socket)
		return 0;
	sk = BPF_CORE_READ(socket, sk);
	if (!sk || BPF_CORE_READ(sk, sk_protocol) != IPPROTO_TCP)
		return 0;
	user.family = BPF_CORE_READ(sk, __sk_common.skc_family);
	if (user.family != AF_INET && user.family != AF_INET6)
		return 0;
	struct inet_connection_sock *icsk = (struct inet_connection_sock *)sk;
	const struct tcp_congestion_ops *ops = BPF_CORE_READ(icsk, icsk_ca_ops);

	if (!ops || bpf_core_read(name, sizeof(name), &ops->name))
		return 0;
	for (int i = 0; i < 16; i++) {
		if (name[i] != wanted[i])
			return 0;
		if (!name[i])
			break;
	}
	user.namespace = BPF_CORE_READ(sk, __sk_common.skc_net.net, net_cookie);
	user.pid = task->tgid;
	if (user.family == AF_INET) {
		BPF_CORE_READ_INTO((__be32 *)user.local, sk, __sk_common.skc_rcv_saddr);
		BPF_CORE_READ_INTO((__be32 *)user.remote, sk, __sk_common.skc_daddr);
	} else {
		BPF_CORE_READ_INTO(&user.local, sk, __sk_common.skc_v6_rcv_saddr.in6_u.u6_addr8);
		BPF_CORE_READ_INTO(&user.remote, sk, __sk_common.skc_v6_daddr.in6_u.u6_addr8);
	}
	user.local_port = BPF_CORE_READ(sk, __sk_common.skc_num);
	user.remote_port = bpf_ntohs(BPF_CORE_READ(sk, __sk_common.skc_dport));
	user.cwnd = BPF_CORE_READ((struct tcp_sock *)sk, snd_cwnd);
	BPF_CORE_READ_STR_INTO(&user.command, task, comm);
	bpf_seq_write(ctx->meta->seq, &user, sizeof(user));
	return 0;
}
