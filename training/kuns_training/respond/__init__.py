"""Trained best responses: how much can at least be won from agents that stay as they are.

    from kuns_env import KunsRules
    from kuns_training.respond import respond, response_config

    response = respond(response_config(["cautious"], "kuns-duel", {}, seed=2))
    response.gains.total.gain.mean, response.folder

Sources: a best response by reinforcement learning as an approximate lower bound on exploitability, Timbers et al. 2022
(arXiv:2004.09677).
"""

from kuns_training.respond.response import Candidate, Response
from kuns_training.respond.run import respond
from kuns_training.respond.settings import response_config, response_folder

__all__ = ["Candidate", "Response", "respond", "response_config", "response_folder"]
