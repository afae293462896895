# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""IPython of `make shell`: installed as `.venv-shell/etc/ipython/ipython_config.py`."""

# p4runtime-shell pins a jedi whose parser knows no Python above 3.10: with it Tab is a traceback.
c.Completer.use_jedi = False  # type: ignore[name-defined]  # noqa: F821
