// Parts of a page that follow a form. Sliders: data-moves="id" moves a number, data-shows="#id" is what follows.
"use strict";

let waiting = false, moving = false;

async function follow(form, selector) {
  waiting = true;
  if (moving) return;
  moving = true;
  while (waiting) {
    waiting = false;
    const url = new URL(form.action);
    url.search = new URLSearchParams(new FormData(form));
    await swap(url.href, selector, false).then(() => history.replaceState(null, "", url), () => {});
  }
  moving = false;
}

document.addEventListener("input", event => {
  const {id, form, value, dataset} = event.target;
  if (dataset.moves) {
    document.getElementById(dataset.moves).value = value;
    follow(form, dataset.shows);
  } else if (id) all(`[data-moves="${CSS.escape(id)}"]`).forEach(slider => { slider.value = value; });
});
