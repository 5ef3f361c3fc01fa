"""Would the tests notice if the mathematics were wrong? Seeds one small fault at a time and runs the tests that reach it."""
