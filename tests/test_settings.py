from __future__ import annotations

import os
from dataclasses import FrozenInstanceError, fields
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.errors import FileError, UsageError
from vivavoce.settings import OPTIONS, OTHER_VARIABLES, Settings, home, load_settings, render_settings_table


@pytest.fixture(autouse=True)
def _empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def _write(text: str, path: str = "vivavoce.toml") -> Path:
    Path(path).write_text(text, encoding="utf-8")
    return Path(path)


def _faults(**sources: object) -> list[str]:
    with pytest.raises(UsageError) as refused:
        load_settings(**{"environ": {}, **sources})  # type: ignore[arg-type]
    return [str(fault) for fault in refused.value.faults]


def test_without_any_source_the_defaults_hold() -> None:
    assert load_settings(environ={}) == Settings()
    assert (Settings().threshold, Settings().retries, Settings().classifier) == (0.5, 10, "linear")


def test_argument_beats_environment_beats_file_beats_default() -> None:
    _write("[vivavoce]\nretries = 2\nseed = 2\nworkers = 2\n")
    environ = {"VIVA_RETRIES": "3", "VIVA_SEED": "3"}
    settings = load_settings({"retries": 4}, environ)
    assert (settings.retries, settings.seed, settings.workers, settings.max_file_mb) == (4, 3, 2, 512)


def test_an_argument_of_none_and_an_empty_variable_count_as_not_given() -> None:
    assert load_settings({"retries": None}, {"VIVA_SEED": " ", "VIVA_HOME": ""}) == Settings()


def test_the_real_environment_is_read_unless_another_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VIVA_SEED", "77")
    assert load_settings().seed == 77
    assert load_settings(environ={}).seed == 0


def test_settings_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        Settings().seed = 1  # type: ignore[misc]


def test_all_faults_of_all_sources_are_reported_at_once_with_the_nearest_name() -> None:
    file = _write("[vivavoce]\nretreis = 3\nthreshold = 'high'\n", "mine.toml")
    faults = _faults(arguments={"treshold": 1, "seed": -1}, environ={"VIVA_RETRYS": "1"}, file=file)
    assert len(faults) == 5
    text = "\n".join(faults)
    assert "argument: unknown setting 'treshold'. Did you mean 'threshold'?" in text
    assert "VIVA_RETRYS: unknown setting. Did you mean 'VIVA_RETRIES'?" in text
    assert "mine.toml: unknown setting 'retreis'. Did you mean 'retries'?" in text
    assert "mine.toml, 'threshold': must be a number from 0 to 1, not 'high'" in text
    assert "argument 'seed': must be a whole number from 0 to" in text


def test_a_fault_is_reported_even_where_another_source_wins() -> None:
    assert len(_faults(arguments={"seed": 1}, environ={"VIVA_SEED": "one"})) == 1


def test_a_far_name_gets_no_suggestion_and_its_value_is_not_repeated() -> None:
    (fault,) = _faults(environ={"VIVA_QQQQ": "hunter2"})
    assert "Did you mean" not in fault
    assert "hunter2" not in fault


@pytest.mark.parametrize("name", sorted(OTHER_VARIABLES))
def test_other_known_variables_are_allowed_and_have_a_reason(name: str) -> None:
    assert load_settings(environ={name: "anything", "PATH": "/bin"}) == Settings()
    assert OTHER_VARIABLES[name]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("retries", 0),
        ("retries", True),
        ("retries", 2.0),
        ("retries", "3"),
        ("seed", 2**32),
        ("threshold", 1.01),
        ("threshold", float("nan")),
        ("threshold", 10**400),
        ("test_fraction", 0),
        ("test_fraction", 1),
        ("singletons", "keep"),
        ("classifier", ""),
        ("classifier", 3),
        ("home", ""),
        ("home", 3),
    ],
)
def test_a_wrong_value_is_refused_with_its_source(name: str, value: object) -> None:
    (fault,) = _faults(arguments={name: value})
    assert fault.startswith(f"argument '{name}': must be ")


def test_a_wrong_choice_is_answered_with_the_nearest() -> None:
    (fault,) = _faults(environ={"VIVA_PARTITION": "k-fold"})
    assert fault.endswith("not 'k-fold'. Did you mean 'kfold'?")


@given(st.integers(0, 2**32 - 1), st.floats(0, 1))
def test_numbers_survive_the_way_through_the_environment(seed: int, threshold: float) -> None:
    settings = load_settings(environ={"VIVA_SEED": str(seed), "VIVA_THRESHOLD": repr(threshold)})
    assert (settings.seed, settings.threshold) == (seed, threshold)


def test_a_whole_number_serves_as_a_number() -> None:
    threshold = load_settings({"threshold": 1}, {}).threshold
    assert threshold == 1.0
    assert isinstance(threshold, float)


def test_paths_in_a_file_are_relative_to_the_file(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    file = _write("[vivavoce]\nhome = 'data'\nword_vectors = ''\n", str(tmp_path / "deep" / "mine.toml"))
    settings = load_settings(environ={}, file=file)
    assert settings.home == tmp_path / "deep" / "data"
    assert settings.word_vectors is None


def test_a_tilde_is_the_users_folder() -> None:
    assert load_settings(environ={"VIVA_HOME": "~/viva"}).home == Path.home() / "viva"
    assert load_settings({"home": Path("~/viva")}, {}).home == Path.home() / "viva"


def test_a_setting_outside_its_table_is_not_silently_ignored() -> None:
    _write("threshold = 0.4\n[other]\nx = 1\n")
    assert len(_faults()) == 2
    _write("vivavoce = 3\n")
    assert "must be a table" in _faults()[0]


def test_a_file_may_be_empty_or_begin_with_a_byte_order_mark() -> None:
    _write("")
    assert load_settings(environ={}) == Settings()
    _write("\ufeff[vivavoce]\nseed = 5\n")
    assert load_settings(environ={}).seed == 5


@pytest.mark.parametrize(
    ("content", "said"),
    [(None, "cannot read the settings"), (b"\xff\xfe", "not UTF-8"), (b"[vivavoce", "not valid TOML")],
)
def test_an_unreadable_file_is_named(content: bytes | None, said: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(FileError, match=said) as refused:
        load_settings(environ={}, file=path)
    assert refused.value.where == str(path)


def test_home_is_the_setting_or_the_users_data_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    assert home(Settings(home=Path("here"))) == Path("here")
    assert home(Settings()).name == "vivavoce"
    monkeypatch.setenv("VIVA_HOME", "/somewhere")
    assert home() == Path("/somewhere")


def test_an_account_without_a_home_gets_no_folder_called_tilde(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.path.expanduser", lambda path: path)
    assert home(load_settings({"home": "~/viva"}, {})) == Path(os.devnull, "vivavoce")


def test_every_setting_has_a_type_a_help_and_a_default_it_accepts() -> None:
    assert [option.name for option in OPTIONS] == [field.name for field in fields(Settings)]
    for option in OPTIONS:
        assert option.help.endswith("."), option.name
        assert option.default is None or option.accepts(option.default), option.name


def test_the_rendered_table_has_one_row_for_every_setting() -> None:
    rows = render_settings_table().splitlines()[2:]
    assert len(rows) == len(OPTIONS)
    for option, row in zip(OPTIONS, rows, strict=True):
        assert row.startswith(f"| `{option.name}` | `VIVA_{option.name.upper()}` |")
        assert row.count("|") == 6
