"""The safety of the web application: guards around it, and rules that hold no state of their own."""
