// How many rows of a form are ticked; without this script the buttons work all the same.
for (const form of document.querySelectorAll("form[data-ticks]")) {
  const told = form.querySelector("[data-ticked]");
  const count = () => {
    const n = form.querySelectorAll('input[name="question"]:checked').length;
    if (told) told.textContent = told.dataset.ticked.replace("{n}", n);
    form.classList.toggle("ticked", n > 0);
  };
  form.addEventListener("change", () => setTimeout(count));
  count();
}
