"""What is measured from the tables beyond the attribution: one idea, one file. Rules, blame and report share
them."""
