"""Who does something: a person in a browser, a program with a key, or the product itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from vivavoce.errors import AccessError
from vivavoce.messages import say
from vivavoce.store.rows import Role
from vivavoce.store.transaction import Transaction


@dataclass(frozen=True, slots=True)
class Actor:
    """Somebody who does something; `user_id` None: the product itself, on behalf of whoever runs it."""

    user_id: str | None
    name: str
    role: Role
    address: str = ""
    language: str = "en"

    def require(self, role: Role) -> None:
        """Refuse what needs a higher role."""
        if not self.role.covers(role):
            raise AccessError(
                say(
                    "this requires the role {role}, but {name} is {self_role}",
                    role=role,
                    name=self.name,
                    self_role=self.role,
                ),
                remedy=say("ask an admin to do it, or to give you the role"),
            )


# Command line and scheduled work: whoever can open the database may do everything.
PRODUCT = Actor(None, "vivavoce", Role.ADMIN)


def person_names(tx: Transaction, ids: Sequence[str | None]) -> dict[str | None, str]:
    """Return the names of people by id; what nobody did, the product did."""
    people = {user_id: tx.users.get(user_id) for user_id in set(ids) if user_id}
    names = {user_id: user.name or user.login for user_id, user in people.items() if user}
    return {user_id: names.get(user_id or "", PRODUCT.name) for user_id in ids}
