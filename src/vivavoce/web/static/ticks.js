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
