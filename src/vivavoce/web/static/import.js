// Comforts of an import: a file is sent when it is dropped or chosen, a choice is followed at once, and what takes
// long says so. Without this script each has its button.
"use strict";

(() => {
  // Says what is going on when a form takes longer than a moment.
  function tell(form) {
    const line = form.querySelector(".busy");
    if (!line || !form.dataset.busy) return;
    setTimeout(() => {
      line.hidden = false;
      line.textContent = form.dataset.busy;
      line.append(document.createElement("progress"));
    }, 400);
    form.setAttribute("aria-busy", "true");
  }

  document.addEventListener("submit", event => {
    if (!event.target.matches("form[data-busy]") || event.defaultPrevented) return;
    const name = event.submitter?.getAttribute("formaction") || "";
    if (!name.endsWith("/drop")) tell(event.target);
  });
  // The way back shows a page that waits no more.
  addEventListener("pageshow", () => document.querySelectorAll("form[aria-busy]").forEach(form => {
    form.removeAttribute("aria-busy");
    const line = form.querySelector(".busy");
    if (line) line.hidden = true;
  }));

  // --- files ------------------------------------------------------------------------------------------------
  function submitChosen(input) {
    const form = input.closest("form[data-drop]");
    if (form && input.type === "file" && input.files.length) form.requestSubmit();
  }
  document.addEventListener("change", event => submitChosen(event.target));
  // On a slow connection a file may be chosen before this script arrives. Not on the way back: then the
  // browser puts the old choice in again, and sending it once more would take the page away.
  if (performance.getEntriesByType("navigation")[0]?.type === "navigate")
    document.querySelectorAll("form[data-drop] input[type=file]").forEach(submitChosen);
  for (const kind of ["dragover", "dragleave", "drop"]) {
    document.addEventListener(kind, event => {
      const form = event.target.closest?.("form[data-drop]");
      if (!form || !event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      form.classList.toggle("over", kind === "dragover");
      if (kind !== "drop" || !event.dataTransfer.files.length) return;
      form.querySelector("input[type=file]").files = event.dataTransfer.files;
      form.requestSubmit();
    });
  }

  // --- choices ------------------------------------------------------------------------------------------------
  let newest = 0;
  async function follow(form, data) {
    const turn = ++newest, view = document.getElementById("import-view");
    view.setAttribute("aria-busy", "true");
    const answer = await fetch(form.action, {method: "POST", body: data});
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const fresh = page.getElementById("import-view");
    if (turn !== newest) return;
    if (!fresh) throw new Error("no preview");
    const why = view.querySelector("[name=why]")?.value;
    if (answer.redirected) history.replaceState(null, "", answer.url);
    document.title = page.title;
    window.replace(view, fresh);
    const field = fresh.querySelector("[name=why]");
    if (field && why) field.value = why;
  }

  document.addEventListener("change", event => {
    const form = event.target.form;
    if (!form?.matches("form[data-live]") || event.target.name === "why") return;
    follow(form, new URLSearchParams(new FormData(form))).catch(() => form.requestSubmit());
  });
})();
