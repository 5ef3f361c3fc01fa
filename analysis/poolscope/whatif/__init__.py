"""Simulates the captured work under other settings, and compares the simulation with the capture itself."""

from poolscope.whatif.ask import ask, predict
from poolscope.whatif.explore import WhatIf, answer, explore
from poolscope.whatif.predict import Predictor
from poolscope.whatif.prediction import Prediction
from poolscope.whatif.setting import Setting

__all__ = ["Prediction", "Predictor", "Setting", "WhatIf", "answer", "ask", "explore", "predict"]
