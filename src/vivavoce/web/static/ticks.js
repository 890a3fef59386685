// How many rows of a form are ticked; without this script the buttons work all the same.
for (const form of document.querySelectorAll("form[data-ticks]")) {
  const told = form.querySelector("[data-ticked]");
  const count = () => {
    const n = form.querySelectorAll('input[name="question"]:checked').length;
    if (told) told.textContent = told.dataset.ticked.replace("{n}", n);
    form.classList.toggle("ticked", n > 0);
  };
  form.addEventListener("change", () => setTimeout(count));
  // What the ticks and the new texts would bring is shown while somebody ticks and types.
  let wait;
  const ask = event => {
    if (!form.dataset.forecast || !event.target.matches("[name=question], [data-follows]")) return;
    clearTimeout(wait);
    wait = setTimeout(() => follow(form, form.dataset.forecast), event.type === "input" ? 900 : 400);
  };
  form.addEventListener("change", ask);
  form.addEventListener("input", ask);
  count();
}

// What the rows of a form would bring stands below them while somebody ticks and chooses; a button asks for it, too.
async function check(form, place) {
  place.again = true;
  if (place.busy) return;
  place.busy = true;
  while (place.again) {
    place.again = false;
    const url = new URL(place.dataset.check, location.href);
    const told = [...new FormData(form)].filter(([, value]) => typeof value === "string");
    url.search = new URLSearchParams([...url.searchParams, ...told]);
    place.textContent = place.dataset.busy;
    const answer = await fetch(url, {headers: {"X-Fragment": "1"}, cache: "no-store"}).catch(() => null);
    const fresh = answer?.ok && !answer.redirected && parsed(await answer.text());
    place.replaceChildren(...(fresh ? [fresh] : []));
  }
  place.busy = false;
}

const DECIDING = "[name=question], [name=example], [name=target], [name=all], [name=into], [data-select-all]";
for (const place of document.querySelectorAll("[data-check]")) {
  const form = place.closest("form");
  let later;
  form.addEventListener("change", ({target}) => {
    if (!target.matches(DECIDING) && !target.name.startsWith("group-")) return;
    clearTimeout(later);
    later = setTimeout(() => check(form, place), 400);
  });
  if ("now" in place.dataset) check(form, place);
}
