"""Finds the code that held the pool's threads while items waited."""

from poolscope.blame.blame import Blame, BlameRow, assign_blame
from poolscope.blame.owner_search import OwnerSearch, owner_search
from poolscope.blame.owners import Owners

__all__ = ["Blame", "BlameRow", "OwnerSearch", "Owners", "assign_blame", "owner_search"]
