// Search and jump: results while one types; and the time zone of the browser. Both work without this.
"use strict";

let pause = 0;
document.addEventListener("input", event => {
  const form = event.target.closest("form[data-jump]");
  if (!form) return;
  clearTimeout(pause);
  pause = setTimeout(async () => {
    const url = new URL(form.action);
    url.search = new URLSearchParams(new FormData(form));
    const answer = await fetch(url, {headers: {"X-Fragment": "1"}, cache: "no-store"}).catch(() => null);
    if (!answer?.ok || answer.redirected) return;
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector(form.dataset.jump);
    if (fresh) document.querySelector(form.dataset.jump).replaceWith(fresh);
  }, 150);
});
// Arrows walk through the results, Enter follows one.
document.addEventListener("keydown", event => {
  const form = event.target.closest("form[data-jump]");
  if (!form || !["ArrowDown", "ArrowUp", "Escape"].includes(event.key)) return;
  const stops = [form.querySelector("input"), ...form.querySelectorAll("a")];
  event.preventDefault();
  if (event.key === "Escape") { form.reset(); document.querySelector(form.dataset.jump).replaceChildren(); document.activeElement.blur(); return; }
  stops[Math.max(0, stops.indexOf(document.activeElement) + (event.key === "ArrowDown" ? 1 : -1))]?.focus();
});

// The server writes times in the zone of the browser, unless the person chose one.
const kept = document.cookie.match(/viva_zone=([^;]*)/)?.[1];
const zone = "auto:" + Intl.DateTimeFormat().resolvedOptions().timeZone;
if (decodeURIComponent(kept || "") !== zone) document.cookie = `viva_zone=${encodeURIComponent(zone)}; path=/; max-age=31536000; samesite=lax`;
