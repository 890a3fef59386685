"""Who does something: a person in a browser, a program with a key, or the product itself."""

from __future__ import annotations

from dataclasses import dataclass

from vivavoce.errors import AccessError
from vivavoce.store.rows import Role


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
                f"this needs the role {role}, and {self.name} is {self.role}",
                remedy="ask an admin to do it, or to give you the role",
            )


# Command line and scheduled work: whoever can open the database may do everything.
PRODUCT = Actor(None, "vivavoce", Role.ADMIN)
