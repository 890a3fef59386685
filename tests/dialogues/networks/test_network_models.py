"""The networks: shapes, gradients, and what must not change a prediction."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from vivavoce.dialogues.dialogue import Dialogue, Utterance, View, rated_views
from vivavoce.dialogues.networks.fitting import ARCHITECTURES, predict
from vivavoce.dialogues.networks.vocabulary import encode, make_lexicon, pack, starts_of

pytestmark = [pytest.mark.usefixtures("torch_is_here"), pytest.mark.slow]


def build_for(architecture, lexicon, seed=1):
    import torch

    from vivavoce.dialogues.networks.models import build

    vectors = np.random.default_rng(seed).normal(0, 0.4, (lexicon.size, 100)).astype(np.float32)
    return build(architecture, torch.from_numpy(vectors), seed=seed, learn=True)


def test_the_gradients_of_the_recurrence_are_right():
    import torch

    from vivavoce.dialogues.networks.models import Memory, Recurrence, _plan

    lengths = np.asarray([2, 0, 4, 1], dtype=np.int64)
    chance = torch.Generator().manual_seed(3)
    draw = [torch.randn(*shape, generator=chance, dtype=torch.double) for shape in ((7, 9), (3, 6), (3, 3))]
    packing = pack(starts_of(lengths), lengths)
    # Memory is used again by the next run, and these are many runs: each gets its own.
    inputs = tuple(one.requires_grad_() for one in draw)
    assert torch.autograd.gradcheck(
        lambda *given: Recurrence.apply(*given, _plan(packing, packing.items, Memory())), inputs
    )


def test_the_recurrence_is_the_published_cell():
    import torch

    from vivavoce.dialogues.networks.models import Cell

    cell = Cell(5, 4, torch.Generator().manual_seed(0))
    values = torch.randn(6, 5, generator=torch.Generator().manual_seed(1))
    lengths = np.asarray([2, 4], dtype=np.int64)
    packing = pack(starts_of(lengths), lengths)
    found = cell(values, packing, packing.items)
    for sequence, rows in enumerate((range(2), range(2, 6))):
        state = torch.zeros(4)
        for row in rows:
            entering = values[row] @ cell.entering + cell.bias
            gates = torch.sigmoid(entering[:8] + state @ cell.gates)
            content = torch.tanh(entering[8:] + (gates[:4] * state) @ cell.state)
            state = gates[4:] * state + (1 - gates[4:]) * content
        assert torch.allclose(found[sequence], state, atol=1e-6)


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_a_network_gives_one_mark_for_each_view(architecture, talks):
    lexicon = make_lexicon(talks)
    views = list(rated_views(talks))
    said = predict(build_for(architecture, lexicon), encode(views, lexicon), np.arange(len(views)))
    assert said.shape == (len(views),)
    assert np.isfinite(said).all()


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_company_does_not_change_the_mark_of_a_talk(architecture, talks):
    lexicon = make_lexicon(talks)
    views = list(rated_views(talks))
    model = build_for(architecture, lexicon)
    together = predict(model, encode(views, lexicon), np.arange(len(views)))
    for row in (0, 7, len(views) - 1):
        alone = predict(model, encode([views[row]], lexicon), np.arange(1))
        assert alone[0] == pytest.approx(together[row], abs=1e-5)


def test_only_the_hierarchical_network_knows_who_judges(talks):
    lexicon = make_lexicon(talks)
    views = [View(talks[0], "Ann"), View(talks[0], "Bob")]
    said = {name: predict(build_for(name, lexicon), encode(views, lexicon), np.arange(2)) for name in ARCHITECTURES}
    assert said["gru"][0] == said["gru"][1]
    assert said["bigru"][0] == said["bigru"][1]
    assert abs(said["hre"][0] - said["hre"][1]) > 1e-4


def test_the_order_of_words_counts(talks):
    lexicon = make_lexicon(talks)
    turned = replace(talks[0], turns=tuple(reversed(talks[0].turns)))
    for name in ARCHITECTURES:
        said = predict(
            build_for(name, lexicon), encode([View(talks[0], "Ann"), View(turned, "Ann")], lexicon), np.arange(2)
        )
        assert abs(said[0] - said[1]) > 1e-5


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_a_talk_without_words_gets_a_mark_too(architecture):
    empty = Dialogue("empty", (Utterance("Ann", "..."), Utterance("Bob", "")))
    lexicon = make_lexicon([empty])
    said = predict(build_for(architecture, lexicon), encode([View(empty, "Ann")], lexicon), np.arange(1))
    assert np.isfinite(said).all()


def test_the_end_mark_stays_zero_while_vectors_are_learnt(talks):
    import torch

    lexicon = make_lexicon(talks)
    material = encode(list(rated_views(talks)), lexicon)
    model = build_for("gru", lexicon)
    model(material, np.arange(20)).sum().backward()
    assert torch.count_nonzero(model.vectors.grad[0]) == 0
    assert torch.count_nonzero(model.vectors.grad) > 0
