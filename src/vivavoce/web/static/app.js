// Small comforts on pages that work without them. Nothing here is needed to reach, read or send anything.
"use strict";

const body = document.body;
const all = (selector, root = document) => [...root.querySelectorAll(selector)];
document.documentElement.classList.add("scripted");

// --- parts of a page that change: polling and swapping ------------------------------------------------------
// Turns the text of an answer into its first element; scripts in it do not run.
function parsed(text, selector) {
  const page = new DOMParser().parseFromString(text, "text/html");
  return (selector && page.querySelector(selector)) || page.body.firstElementChild;
}

const FOCUSABLE = "a[href], button, input, select, textarea, summary, [tabindex]";
const atEnd = box => box.scrollHeight - box.scrollTop - box.clientHeight < 40;

// Notes where the reader is: the focus, open details, and the scroll of boxes inside.
function places(element) {
  const focus = element.contains(document.activeElement) ? document.activeElement : null;
  return {
    id: focus && focus.id,
    place: focus ? all(FOCUSABLE, element).indexOf(focus) : -1,
    picked: focus && "selectionStart" in focus ? [focus.selectionStart, focus.selectionEnd] : null,
    open: all("details", element).map(each => each.open),
    boxes: all("[data-follow], .scroll", element).map(box => [box.scrollTop, box.scrollLeft, atEnd(box)]),
  };
}

function putBack(element, seen) {
  all("details", element).forEach((each, place) => { each.open = seen.open[place] ?? each.open; });
  all("[data-follow], .scroll", element).forEach((box, place) => {
    const [top, left, end] = seen.boxes[place] || [0, 0, true];
    box.scrollLeft = left;
    // The end is followed only by a reader who was at the end.
    box.scrollTop = "follow" in box.dataset && end ? box.scrollHeight : top;
  });
  const focused = (seen.id && document.getElementById(seen.id)) || all(FOCUSABLE, element)[seen.place];
  focused?.focus({preventScroll: true});
  try { if (seen.picked) focused.setSelectionRange(...seen.picked); } catch { /* not a field of text */ }
}

function replace(element, fresh) {
  const seen = places(element);
  element.replaceWith(fresh);
  putBack(fresh, seen);
  enliven(fresh);
  return fresh;
}

// --- polling: data-poll="URL" data-version="N" -----------------------------------------------------------
const USUAL = 1000, LONGEST = 10000;

function offline(element, on) {
  const old = element.querySelector(":scope > .offline");
  if (!on) return old && old.remove();
  if (old) return;
  const line = Object.assign(document.createElement("p"), {className: "offline muted", textContent: body.dataset.offline});
  line.setAttribute("role", "status");
  element.append(line);
}

async function ask(element) {
  const url = new URL(element.dataset.poll, location.href);
  url.searchParams.set("version", element.dataset.version || "0");
  const answer = await fetch(url, {headers: {"X-Fragment": "1"}, cache: "no-store", signal: AbortSignal.timeout(LONGEST)});
  if (answer.status === 204) return element;
  // Signed out: the whole page goes where the server sends it. Gone: nothing more will come.
  if (answer.redirected || answer.status === 401) { location.reload(); return null; }
  if ([403, 404, 410].includes(answer.status)) return null;
  if (!answer.ok) throw new Error(answer.status);
  const fresh = parsed(await answer.text(), element.id && "#" + CSS.escape(element.id));
  if (!fresh) throw new Error("empty");
  return element.isConnected ? replace(element, fresh) : null;
}

async function poll(element) {
  // What waits to be shown is asked for at once.
  let wait = "now" in element.dataset ? 0 : USUAL;
  while (element && element.isConnected && element.dataset.poll) {
    await new Promise(done => setTimeout(done, wait));
    wait ||= USUAL;
    if (document.hidden) continue;
    try {
      const next = await ask(element);
      if (next !== element) return;  // the fresh element polls for itself, if it has more to say
      offline(element, false);
      wait = USUAL;
    } catch {
      wait = Math.min(LONGEST, wait * 1.6);
      offline(element, true);
    }
  }
}

// --- swapping: data-swap="#id" on links and forms ----------------------------------------------------------
async function swap(url, selector, push) {
  const answer = await fetch(url, {headers: {"X-Fragment": "1"}, cache: "no-store"});
  const fresh = answer.ok && !answer.redirected && parsed(await answer.text(), selector);
  const old = document.querySelector(selector);
  if (!fresh || !old || "#" + fresh.id !== selector) throw new Error("no such part");
  replace(old, fresh);
  if (push) history.pushState({swap: selector}, "", url);
}

function swapOr(event, url, selector, go) {
  event.preventDefault();
  if (!history.state) history.replaceState({swap: selector}, "");
  swap(url, selector, true).catch(go);
}

document.addEventListener("click", event => {
  const link = event.target.closest("a[data-swap]");
  const plain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;
  if (link && plain) swapOr(event, link.href, link.dataset.swap, () => { location.href = link.href; });
});

document.addEventListener("submit", event => {
  const form = event.target, button = event.submitter;
  const selector = button?.dataset.swap || form.dataset.swap;
  if (!selector || (button?.getAttribute("formmethod") || form.method) !== "get") return;
  const url = new URL(form.action);
  url.search = new URLSearchParams(new FormData(form, button));
  swapOr(event, url.href, selector, () => { location.href = url.href; });
});

addEventListener("popstate", event => {
  if (event.state && event.state.swap) swap(location.href, event.state.swap, false).catch(() => location.reload());
});

// --- charts: figure[data-chart] becomes live when it comes into view --------------------------------------
let library = null;
const load = () => library ||= new Promise((done, fail) => {
  const script = document.createElement("script");
  Object.assign(script, {src: body.dataset.vega || "/static/vega.js", onload: done, onerror: fail});
  document.head.append(script);
});

async function draw(figure) {
  const drawn = figure.querySelector(".drawn");
  const still = drawn && drawn.querySelector("svg");
  const live = Object.assign(document.createElement("div"), {className: "live"});
  try {
    const [answer] = await Promise.all([fetch(figure.dataset.chart), load()]);
    if (!answer.ok) throw new Error(answer.status);
    drawn.append(live);  // unseen: it is drawn as wide as its place
    await window.vivavoceDraw(live, await answer.json());
    const picture = live.querySelector("svg");
    picture.setAttribute("class", "chart");
    picture.setAttribute("role", "img");
    picture.setAttribute("aria-label", still?.getAttribute("aria-label") || figure.querySelector("figcaption")?.textContent.trim() || "");
    drawn.replaceChildren(live);
    figure.dataset.live = "1";
  } catch { live.remove(); /* the picture that came with the page stays */ }
}

const watcher = "IntersectionObserver" in window && new IntersectionObserver(entries => {
  for (const entry of entries.filter(each => each.isIntersecting)) {
    watcher.unobserve(entry.target);
    draw(entry.target);
  }
}, {rootMargin: "100px"});

// --- keys: data-key on anything that can be followed, pressed or filled in --------------------------------
const typing = target => target.closest("input:not([type=checkbox]), textarea, select, [contenteditable]");
const shown = element => element.checkVisibility ? element.checkVisibility() : true;

function showKeys() {
  const dialog = document.getElementById("keys");
  if (!dialog || dialog.open) return;
  const list = dialog.querySelector("dl");
  all("[data-added]", list).forEach(each => each.remove());
  for (const each of all("[data-key]").filter(shown)) {
    const [row, name, key, text] = ["div", "dt", "kbd", "dd"].map(kind => document.createElement(kind));
    row.dataset.added = "1";
    key.textContent = each.dataset.key;
    text.textContent = each.getAttribute("aria-label") || each.labels?.[0]?.textContent.trim() || each.textContent.trim();
    name.append(key);
    row.append(name, text);
    list.append(row);
  }
  dialog.showModal();
}

let began = "";
document.addEventListener("keydown", event => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || typing(event.target)) return;
  if (document.querySelector("dialog[open]")) return;
  if (event.key === "?") return showKeys();
  // Keys in a row, such as "g t": the first is kept for the second.
  const pressed = (began + " " + event.key).trim();
  const found = all(`[data-key="${CSS.escape(pressed)}"]`).find(shown);
  began = !found && document.querySelector(`[data-key^="${CSS.escape(event.key)} "]`) ? event.key : "";
  if (!found) return;
  event.preventDefault();
  if (found.matches("input, textarea, select")) { found.focus(); found.select?.(); } else found.click();
});

// --- menus, theme, copying, selecting --------------------------------------------------------
// An open menu closes when the reader turns elsewhere.
document.addEventListener("click", event => all("details.menu[open], details.more[open]").forEach(menu => {
  if (!menu.contains(event.target)) menu.open = false;
}));
document.addEventListener("keydown", event => {
  const menu = event.key === "Escape" && event.target.closest("details.menu[open], details.more[open]");
  if (menu) { menu.open = false; menu.querySelector("summary").focus(); }
});

// The server keeps the choice; the page follows at once, without being loaded again.
document.addEventListener("submit", async event => {
  const button = event.submitter;
  if (!button || button.name !== "theme") return;
  event.preventDefault();
  const data = new URLSearchParams(new FormData(event.target, button));
  const answer = await fetch(event.target.action, {method: "POST", body: data}).catch(() => null);
  if (!answer || !answer.ok) return location.reload();
  document.documentElement.dataset.theme = button.value;
  all("button[name=theme]").forEach(each => each.setAttribute("aria-pressed", String(each === button)));
});

document.addEventListener("click", async event => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  const before = button.dataset.title ||= button.textContent;
  const text = document.querySelector(button.dataset.copy).textContent;
  button.textContent = await navigator.clipboard.writeText(text).then(() => body.dataset.copied, () => body.dataset.failed);
  setTimeout(() => { button.textContent = before; }, 2000);
});

document.addEventListener("change", event => {
  const box = event.target.closest("[data-select-all]");
  if (box) all(`input[name="${CSS.escape(box.dataset.selectAll)}"]`, box.closest("table")).forEach(each => { each.checked = box.checked; });
});

// --- begin ------------------------------------------------------------------------------------------------
function enliven(root) {
  const within = selector => [...(root.matches?.(selector) ? [root] : []), ...all(selector, root)];
  within("[data-poll]").forEach(poll);
  if (watcher) within("figure[data-chart]").forEach(each => watcher.observe(each));
}

all("[data-poll] [data-follow]").forEach(box => { box.scrollTop = box.scrollHeight; });
// On a phone the list comes first; its filters open when they are wanted.
if (matchMedia("(max-width: 48rem)").matches) all("details.fold").forEach(each => { each.open = false; });
// A sidebar that is higher than the window scrolls: the place where the reader is must be seen.
document.querySelector(".side .nav [aria-current]")?.scrollIntoView({block: "nearest"});
enliven(document);
