"""What whoever runs the server decides."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class WebConfig:
    """How the application behaves.

    `hosts`: names under which it may be asked beside the loopback ones. `behind_proxy`: every request passes a proxy
    whose headers are true. `private_bots`: bots may live at private addresses. `bot_programs`: admins may add bots
    that are programs on this machine. `bot_variables`: what bots may be sent of the environment beside BOT_*.
    `access_log`: the file for a line about each request, `-` for standard error, nothing for none.
    """

    hosts: tuple[str, ...] = ()
    behind_proxy: bool = False
    private_bots: bool = False
    bot_programs: bool = False
    bot_variables: tuple[str, ...] = ()
    max_upload_mb: int = 20
    access_log: str = ""
