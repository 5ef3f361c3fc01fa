"""What is measured from the tables beyond the attribution: one measure, one file. Rules, blame and report share
them."""
