// How many rows of a form are ticked; without this script the buttons work all the same.
for (const form of document.querySelectorAll("form[data-ticks]")) {
  const told = form.querySelector("[data-ticked]");
  const count = () => {
    const n = form.querySelectorAll('input[name="question"]:checked').length;
    if (told) told.textContent = told.dataset.ticked.replace("{n}", n);
    form.classList.toggle("ticked", n > 0);
  };
  form.addEventListener("change", () => setTimeout(count));
  // A button that shows what the ticks would bring is pressed for those who tick.
  const follow = form.querySelector("[data-on-tick]");
  let wait;
  if (follow) form.addEventListener("change", event => {
    if (event.target.name !== "question") return;
    clearTimeout(wait);
    wait = setTimeout(() => form.requestSubmit(follow), 600);
  });
  count();
}
