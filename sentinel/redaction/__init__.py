"""Personal data out, reasoning kept: pure, the detection model is passed in."""
