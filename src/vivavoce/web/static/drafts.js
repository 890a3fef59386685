// Unsaved text: a warning before it is left, and a draft of it in this browser until it is saved.
// Forms say so by data-unsaved. data-draft tells forms of one address apart; data-redo names the button
// that shows a form anew, for drafts with more fields than the page has.
"use strict";

(() => {
  const DAYS = 14, MOST = 300000, PREFIX = "viva-draft:", SENT = "viva-sent";
  const originals = new WeakMap();  // the fields of each form as the server showed them
  const body = document.body, own = PREFIX + (body.dataset.user || "") + ":";
  const forms = () => [...document.querySelectorAll("form[data-unsaved]")];
  const base = form => own + new URL(form.getAttribute("action"), location.href).pathname;
  const keyOf = form => base(form) + ":" + (form.dataset.draft || "");

  // --- storage: full or forbidden, the page works on ---------------------------------------------------------
  const keys = () => { try { return Object.keys(localStorage).filter(key => key.startsWith(PREFIX)); } catch { return []; } };
  const drop = key => { try { localStorage.removeItem(key); } catch { /* nothing is kept here */ } };
  function draftOf(key) {
    try {
      const draft = JSON.parse(localStorage.getItem(key));
      return Array.isArray(draft?.fields) ? draft : null;
    } catch { return null; }
  }
  function keep(form) {
    const fields = pairs(form), key = keyOf(form);
    if (same(fields, originals.get(form))) return drop(key);
    const text = JSON.stringify({at: Date.now(), fields});
    try { if (text.length < MOST) localStorage.setItem(key, text); } catch { /* no room: the page is as it was */ }
  }

  // --- fields -------------------------------------------------------------------------------------------------
  const secret = form => [...form.elements].filter(each => each.type === "password" || each.type === "file").map(each => each.name);
  function pairs(form) {
    const hidden = secret(form);
    return [...new FormData(form)].filter(([name, value]) => typeof value === "string" && !hidden.includes(name));
  }
  const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);
  const typed = form => [...form.elements].filter(each => each.name && !["hidden", "password", "file", "submit", "button"].includes(each.type));

  function restore(form, draft) {
    const left = new Map();
    for (const [name, value] of draft.fields) left.set(name, [...(left.get(name) || []), value]);
    const names = new Set([...form.elements].map(each => each.name));
    if (form.dataset.redo && [...left.keys()].some(name => !names.has(name))) return resend(form, draft);
    for (const field of typed(form)) {
      const values = left.get(field.name) || [];
      if (["checkbox", "radio"].includes(field.type)) field.checked = values.includes(field.value);
      else if (values.length) field.value = values.shift();
    }
    form.dataset.unsaved = "changed";
    keep(form);
  }

  // The server shows the form with all that was typed, as it does after any other button.
  function resend(form, draft) {
    const sent = Object.assign(document.createElement("form"), {method: "post", hidden: true});
    sent.setAttribute("action", form.getAttribute("action"));
    for (const [name, value] of [...draft.fields, ["do", form.dataset.redo]]) {
      sent.append(Object.assign(document.createElement("input"), {type: "hidden", name, value}));
    }
    body.append(sent);
    noteSent([keyOf(form)]);
    sent.submit();
  }

  // --- the offer ----------------------------------------------------------------------------------------------
  function offer(form, draft) {
    const bar = Object.assign(document.createElement("div"), {className: "flash draft"});
    const at = new Date(draft.at), today = at.toDateString() === new Date().toDateString();
    const time = today ? {hour: "2-digit", minute: "2-digit"} : {dateStyle: "medium", timeStyle: "short"};
    const line = Object.assign(document.createElement("p"), {
      textContent: body.dataset.draft.replace("{time}", at.toLocaleString(document.documentElement.lang, time)),
    });
    const button = (text, act) => Object.assign(document.createElement("button"), {
      type: "button", textContent: text, onclick: () => { bar.remove(); act(); },
    });
    bar.setAttribute("role", "status");
    bar.append(
      line,
      button(body.dataset.draftRestore, () => { restore(form, draft); typed(form)[0]?.focus(); }),
      button(body.dataset.draftDiscard, () => { drop(keyOf(form)); form.querySelector("button")?.focus(); }),
    );
    form.before(bar);
  }

  // --- what was sent is saved when the server led on to another page ------------------------------------------
  const noteSent = names => { try { sessionStorage.setItem(SENT, JSON.stringify(names)); } catch { /* kept as a draft */ } };
  function takeSent() {
    try {
      const names = JSON.parse(sessionStorage.getItem(SENT)) || [];
      sessionStorage.removeItem(SENT);
      return names;
    } catch { return []; }
  }
  function wasSaved() {
    const [arrival] = performance.getEntriesByType("navigation");
    return location.pathname !== "/sign-in" && arrival?.redirectCount > 0 && !(arrival.responseStatus >= 400);
  }

  let signingOut = false;  // nothing of it stays in this browser
  document.addEventListener("submit", event => {
    const form = event.target;
    form.dataset.sent = "1";
    if (form.getAttribute("action") === "/sign-out") {
      signingOut = true;
      keys().filter(key => key.startsWith(own)).forEach(drop);
    }
    if (form.matches("form[data-unsaved]")) { keep(form); noteSent([keyOf(form)]); }
    if (form.dataset.draft === "waiting") noteSent(keys().filter(key => key.startsWith(base(form) + ":")));
  });

  // --- typing and leaving -------------------------------------------------------------------------------------
  let timer = 0;
  const isChanged = form => form.dataset.unsaved === "changed" && !form.dataset.sent && !same(pairs(form), originals.get(form));
  const changed = () => forms().filter(isChanged);
  const keepAll = () => {
    clearTimeout(timer);
    if (signingOut) return;
    forms().filter(form => form.dataset.unsaved === "changed" && !form.dataset.sent).forEach(keep);
  };
  document.addEventListener("input", event => {
    const form = event.target.closest("form[data-unsaved]");
    if (!form) return;
    signingOut = false;
    form.dataset.unsaved = "changed";
    clearTimeout(timer);
    timer = setTimeout(keepAll, 400);
  });
  addEventListener("pagehide", keepAll);
  addEventListener("pageshow", event => { if (event.persisted) forms().forEach(form => { delete form.dataset.sent; }); });
  addEventListener("beforeunload", event => { if (changed().length) event.preventDefault(); });

  // --- begin --------------------------------------------------------------------------------------------------
  const oldest = Date.now() - DAYS * 86400000;
  keys().filter(key => !((draftOf(key)?.at || 0) > oldest)).forEach(drop);
  const sent = takeSent();
  if (wasSaved()) sent.forEach(drop);
  for (const form of forms()) {
    const key = keyOf(form), draft = draftOf(key);
    originals.set(form, pairs(form));
    if (sent.includes(key) && !wasSaved()) {
      // Shown again with all that was typed, and not saved: nothing of it is as it was.
      originals.delete(form);
      form.dataset.unsaved = "changed";
      keep(form);
    } else if (draft && !same(draft.fields, originals.get(form))) {
      if (location.hash !== "#draft") offer(form, draft);
      else { history.replaceState(history.state, "", location.pathname + location.search); restore(form, draft); }
    }
  }
})();
