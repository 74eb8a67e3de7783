"""The command `omoide review`: what waits for the owner, and the answers."""

from __future__ import annotations

import argparse

from omoide.api.people import Waiting
from omoide.errors import BadInput
from omoide.serve.cli.find import now_of, opened
from omoide.serve.cli.printing import answer


def review(args: argparse.Namespace) -> int:
    """List the queue, or answer the ids that are given, one after the other."""
    with opened(args) as omoide:
        at, people = now_of(args, omoide), omoide.people
        if args.do == "list":
            waiting = people.review(at)
            rows = [one._asdict() for one in waiting]
            lines = [line for one in waiting for line in _lines(one)] or ["nothing waits"]
        else:
            if not args.ids:
                raise BadInput(f"omoide review {args.do} needs an id; `omoide review` lists what waits")
            decide = people.accept if args.do == "accept" else people.reject
            waits = {one.id for one in people.review(at)}
            order = sorted(args.ids, key=lambda key: key.removeprefix("^") in waits)  # what cannot be answered, before anything is
            answered = {key: decide(key, at, args.reason) for key in order}
            done = [answered[key] for key in args.ids]
            rows = [one._asdict() for one in done]
            lines = [f"{args.do}ed ^{one.id}  {one.change}" if one.change else f"nothing to do: ^{one.id} was done before" for one in done]
    return answer(args, rows, lines)


def _lines(one: Waiting) -> list[str]:
    said = f"said by {one.by or 'nobody known'} on {one.at:%Y-%m-%d}" if one.at and one.at.year > 1 else "written by hand"
    where = f" in {one.room}" if one.room else ""
    source = f", from {one.source}" if one.source else ""
    return [f"^{one.id}  {one.what}  {one.text}", f"    about {' + '.join(one.person)}; {said}{where}{source}; {one.why}"]
