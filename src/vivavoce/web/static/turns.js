// Keys on a conversation: j and k walk through its turns, e edits the one that is in view.
"use strict";

(() => {
  const rounds = [...document.querySelectorAll(".round[id]")];
  const margin = 120;
  const current = () => {
    const focused = rounds.indexOf(document.activeElement?.closest?.(".round[id]"));
    if (focused >= 0) return focused;
    return rounds.findLastIndex(round => round.getBoundingClientRect().top < margin);
  };
  const go = place => {
    const round = rounds[Math.max(0, Math.min(rounds.length - 1, place))];
    round?.focus({preventScroll: true});
    round?.scrollIntoView({block: "start"});
  };
  document.addEventListener("keydown", event => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, select")) return;
    if (document.querySelector("dialog[open]")) return;
    if (event.key === "j") go(current() + 1);
    if (event.key === "k") go(current() - 1);
    if (event.key === "e") rounds[Math.max(0, current())]?.querySelector(".edit-turn")?.click();
  });
})();
