# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""The kernel tests in a virtual machine, on kernels other than the running one."""
