# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Which table, action, key field... a name means: a full name, or the end of one."""

import re
from collections.abc import Iterable

from .errors import Problem
from .syntax import Word

_SUBSCRIPT = re.compile(r"\$([0-9]+)")
VALID = "$valid$"


def resolve(word: Word, names: Iterable[str], what: str, place: str = "") -> str:
    """The one of `names` that `word` means.

    That is the name itself; else the one name that ends with `.` and the word; else the one name that ends
    with the word, as p4c's runner has it.
    """
    known = list(dict.fromkeys(names))
    text = word.text
    if text in known:
        return text
    for suffix in ("." + text, text):
        found = [name for name in known if name.endswith(suffix)]
        if len(found) == 1:
            return found[0]
        if found:
            raise Problem(word.at, f"{what} `{text}` may be any of {_listed(found)}{place}")
    has = f"; there is {_listed(known)}" if known else ""
    raise Problem(word.at, f"there is no {what} `{text}`{place}{has}")


def resolve_key(word: Word, names: Iterable[str], place: str) -> str:
    """The key field that `word` means.

    Beside what `resolve` does: `stack$1.field` is `stack[1].field`, and a header, or a header and `.valid`,
    `.$valid` or `.isValid`, is the field that says whether the header is valid.
    """
    known = list(names)
    text = _SUBSCRIPT.sub(r"[\1]", word.text)
    candidates = [text]
    base, dot, last = text.rpartition(".")
    if last in ("valid", "$valid", "isValid"):
        candidates.append(base + dot + VALID)
    candidates += [text + "." + VALID, text + "$"]
    for candidate in candidates:
        if candidate in known:
            return candidate
    for candidate in candidates:
        found = [name for name in known if name.endswith("." + candidate)]
        if len(found) == 1:
            return found[0]
    return resolve(Word(text, word.at), known, "key field", place)


def _listed(names: list[str], limit: int = 8) -> str:
    shown = ", ".join(f"`{name}`" for name in names[:limit])
    return shown if len(names) <= limit else f"{shown} and {len(names) - limit} more"
