"""Files made readable: what they are, their colours, and other ways to look at them. No widgets."""
