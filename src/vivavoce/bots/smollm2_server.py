"""The child process that serves SmolLM2: an OpenAI-compatible HTTP server of llama.cpp on this machine only."""

from __future__ import annotations

import os
from typing import Any, cast

from vivavoce.bots.local_server import announce, read_material, wait_for_end


def start_server(weights: str, *, port: int, threads: int, context: int) -> Any:
    """Load the weights and serve them; return the server, which serves as long as it is referred to."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = weights
    params.port = port
    params.n_ctx = context
    params.n_parallel = 1
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads
    # A reply must not depend on which conversation came before it: nothing is kept from one request to the next.
    settings = {"cache_prompt": False, "cache_ram_mib": 0, "ui": False, "cors_origins": "http://127.0.0.1"}
    for name, value in settings.items():
        if hasattr(params, name):
            setattr(params, name, value)
    return xllamacpp.Server(params)


if __name__ == "__main__":
    server = start_server(**cast(dict[str, Any], read_material()))
    announce(server.listening_address)
    wait_for_end()
    # The threads of the server are in the middle of something; nothing is kept, so nothing is lost.
    os._exit(0)
