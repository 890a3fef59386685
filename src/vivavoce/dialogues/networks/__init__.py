"""The published network models of dialogue quality (GRU, BiGRU, hierarchical encoder), trained again with torch.

They are here to be measured against, not to give scores: nothing outside this package needs torch. The parts:
`vocabulary` (words to numbers, and sequences side by side without padding), `models` (the networks), `fitting` (one
training run), `reproduction` (the published tables beside ours).
"""
