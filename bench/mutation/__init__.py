"""Would the tests notice an error in the mathematics? Seeds one small fault at a time and runs the tests that reach
it."""
