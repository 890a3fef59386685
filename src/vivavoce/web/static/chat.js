// The chat on a company's page: <script src=".../chat.js" data-project="jobs" defer></script>. Everything is in a shadow
// root and made of nodes, so that it works under a strict content policy; nothing is kept but a key for this tab.
"use strict";
(() => {
  const script = document.currentScript, project = script.dataset.project, base = new URL(script.src).origin;
  const place = script.dataset.page && document.querySelector(script.dataset.page), store = `viva-chat-${project}`;
  const TEXTS = {
    en: ["Chat", "Close", "Your message", "Send", "You", "Bot", "a person", "The bot is writing", "Not sent. Try again.", "You are chatting with a machine."],
    de: ["Chat", "Schließen", "Deine Nachricht", "Senden", "Du", "Bot", "ein Mensch", "Der Bot schreibt", "Nicht gesendet. Versuche es noch einmal.", "Du schreibst mit einer Maschine."],
    fr: ["Chat", "Fermer", "Votre message", "Envoyer", "Vous", "Bot", "une personne", "Le bot écrit", "Non envoyé. Réessayez.", "Vous écrivez à une machine."],
    zh: ["聊天", "关闭", "您的消息", "发送", "您", "机器人", "工作人员", "机器人正在输入", "发送失败，请重试。", "您正在与机器人对话。"],
  };
  const wanted = (script.dataset.language || document.documentElement.lang || navigator.language || "en").slice(0, 2);
  const language = TEXTS[wanted] ? wanted : "en";
  const [CHAT, CLOSE, YOURS, SEND, YOU, BOT, PERSON, BUSY, FAILED, MACHINE] = TEXTS[language];
  const STYLES = `
    :host { all: initial; position: fixed; inset: auto 1rem 1rem auto; z-index: 2147483000; font: 16px/1.45 system-ui, sans-serif; color-scheme: light dark; }
    :host(.page) { position: static; }
    * { box-sizing: border-box; font: inherit; }
    [hidden] { display: none !important; }
    .panel { --ink: light-dark(#1b2430, #e8edf3); --paper: light-dark(#fff, #171d25); --line: light-dark(#8592a3, #667487); --mine: light-dark(#dcebff, #1f3f66); --fill: light-dark(#1a5fb4, #1a5fb4);
      color: var(--ink); background: var(--paper); border: 1px solid var(--line); border-radius: .8rem; display: flex; flex-direction: column; width: min(24rem, calc(100vw - 2rem)); height: min(36rem, calc(var(--seen, 100dvh) - 2rem)); }
    :host(.page) .panel { width: 100%; height: min(70dvh, 44rem); }
    header { display: flex; justify-content: space-between; align-items: center; padding: .4rem .4rem .4rem 1rem; border-bottom: 1px solid var(--line); }
    h2 { font-weight: 650; margin: 0; }
    button, a.card { min-height: 44px; min-width: 44px; padding: .4rem .8rem; border: 1px solid var(--line, #667487); border-radius: .6rem; background: transparent; color: inherit; cursor: pointer; }
    .launch, .send { background: #1a5fb4; color: #fff; border-color: #1a5fb4; }
    .launch { border-radius: 2rem; padding: .6rem 1.2rem; }
    .log { flex: 1; overflow-y: auto; padding: 1rem; overflow-wrap: anywhere; }
    .log p, .log ul { margin: 0 0 .5rem; }
    .log ul { padding: 0; list-style: none; display: grid; gap: .4rem; }
    .mine { background: var(--mine); border-radius: .7rem; padding: .5rem .8rem; margin-left: 3rem; white-space: pre-wrap; }
    .theirs { white-space: pre-wrap; margin-right: 2rem; }
    .person { border-left: 3px solid var(--fill); padding-left: .7rem; }
    .who { font-size: .8rem; font-weight: 650; display: block; }
    .small { font-size: .8rem; margin: 0; padding: .2rem 1rem .6rem; }
    .pills { display: flex; flex-wrap: wrap; gap: .4rem; padding: 0; margin: 0 0 .6rem; list-style: none; }
    a { color: light-dark(#1a5fb4, #8cbcff); }
    a.card { display: block; border: 1px solid var(--line); }
    form { display: flex; gap: .4rem; padding: .6rem 1rem; border-top: 1px solid var(--line); }
    input { flex: 1; min-width: 0; min-height: 44px; padding: .4rem .7rem; border: 1px solid var(--line); border-radius: .6rem; background: var(--paper); color: inherit; }
    :focus-visible { outline: 3px solid light-dark(#1a5fb4, #8cbcff); outline-offset: 2px; }
    .hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
    @media (prefers-reduced-motion: no-preference) { .log { scroll-behavior: smooth; } }
    @media (forced-colors: active) { .mine, .launch, .send { border: 1px solid; } }`;

  function make(name, attributes = {}, ...children) {
    const node = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
      if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
      else if (value !== false) node.setAttribute(key, value === true ? "" : value);
    }
    node.append(...children);
    return node;
  }
  const STARTING = 202;
  async function ask(what, body) {
    const answer = await fetch(`${base}/chat/${encodeURIComponent(project)}/${what}`, {
      method: "POST", credentials: "omit", headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ key: session.key, language, ...body }),
    });
    if (!answer.ok || answer.status === STARTING) throw Object.assign(new Error(answer.status), { starts: answer.ok });
    return answer.json();
  }
  // The same id again: a message whose answer got lost is answered once. A server that starts asks for it for some seconds.
  async function insist(act) {
    for (let tries = 0; ; tries += 1) {
      try { return await act(); } catch (error) {
        if (tries >= (error.starts ? 60 : 1)) throw error;
        await new Promise((go) => setTimeout(go, error.starts ? 1000 : 0));
      }
    }
  }
  const session = { get key() { try { return sessionStorage.getItem(store) || ""; } catch { return this.kept || ""; } },
    set key(value) { this.kept = value; try { sessionStorage.setItem(store, value); } catch { /* this page only */ } } };
  const safe = (address) => { try { return /^(https?|mailto):$/.test(new URL(address, base).protocol); } catch { return false; } };
  const shown = new Set();
  let opened = null, last = -1, sending = null, timer;

  const log = make("div", { class: "log", tabindex: "0" }), status = make("p", { class: "hidden", role: "status" });
  const input = make("input", { "aria-label": YOURS, placeholder: YOURS, maxlength: "2000", autocomplete: "off", enterkeyhint: "send" });
  const note = make("p", { class: "small" }, MACHINE), title = make("h2", { id: "title" }, CHAT);
  const closer = make("button", { type: "button", "aria-label": CLOSE, onclick: close }, "×");
  const form = make("form", { onsubmit: (event) => { event.preventDefault(); send(input.value.trim()); } },
    input, make("button", { class: "send" }, SEND));
  const panel = make("section", { class: "panel", id: "panel", role: place ? "region" : "dialog", "aria-labelledby": "title", hidden: true },
    make("header", {}, title, ...(place ? [] : [closer])), log, status, form, note);
  const launcher = make("button", { class: "launch", type: "button", "aria-expanded": "false", "aria-controls": "panel", onclick: () => (panel.hidden ? open() : close()) }, CHAT);

  function pills(buttons) {
    return make("ul", { class: "pills" }, ...buttons.map((one) => make("li", {}, make("button", { type: "button", onclick: () => { send(one.send, one.label); input.focus(); } }, one.label))));
  }
  function showReply(reply) {
    const nodes = reply.texts.map((text) => make("p", { class: "theirs", lang: reply.language, dir: "auto" }, make("span", { class: "hidden" }, `${BOT}: `), text));
    if (reply.openings.length) nodes.push(make("ul", {}, ...reply.openings.map((one) => make("li", {}, safe(one.url) && one.url
      ? make("a", { class: "card", href: one.url, target: "_blank", rel: "noopener" }, `${one.title} · ${one.place}`) : `${one.title} · ${one.place}`))));
    for (const link of reply.links) if (safe(link.url)) nodes.push(make("p", {}, make("a", { href: link.url, target: "_blank", rel: "noopener" }, link.label)));
    for (const old of log.querySelectorAll(".pills")) old.remove();
    if (reply.buttons.length) nodes.push(pills(reply.buttons));
    log.append(...nodes);
  }
  function showMine(text, label = "") {
    if (!label && text.startsWith("/")) return;
    log.append(make("p", { class: "mine", dir: "auto" }, make("span", { class: "hidden" }, `${YOU}: `), label || text));
  }
  function show(message, mine = false) {
    last = Math.max(last, message.number);
    if (shown.has(message.number)) return;
    shown.add(message.number);
    if (message.author === "person") log.append(make("p", { class: "theirs person", dir: "auto" }, make("span", { class: "who" }, `${message.reply.who}, ${PERSON}`), message.text));
    else { if (!mine) showMine(message.text); showReply(message.reply); }
    log.scrollTop = log.scrollHeight;
  }
  async function begin() {
    const talk = await ask("open", {});
    session.key = talk.key;
    title.textContent = talk.name;
    if (talk.greeting.consent) note.textContent = talk.greeting.consent;
    showReply(talk.greeting);
    talk.messages.forEach((message) => show(message));
    // Live from now on: what was said before is not read again.
    log.setAttribute("role", "log"); log.setAttribute("aria-live", "polite"); log.setAttribute("aria-relevant", "additions"); log.setAttribute("aria-label", CHAT);
    log.scrollTop = log.scrollHeight;
  }
  async function open() {
    panel.hidden = false; launcher.setAttribute("aria-expanded", "true");
    if (!place) input.focus();
    // Kept as a promise: a message that is written meanwhile waits for the key.
    opened ??= begin();
    try { await opened; } catch { opened = null; status.textContent = FAILED; }
    if (opened && !panel.hidden) { clearInterval(timer); timer = setInterval(poll, 4000); }
  }
  function close() { panel.hidden = true; launcher.setAttribute("aria-expanded", "false"); clearInterval(timer); launcher.focus(); }
  async function poll() {
    if (document.hidden || sending || last < 0) return;
    try { (await ask("new", { after: last })).messages.forEach((message) => show(message)); } catch { /* the next time */ }
  }
  async function send(text, label = "") {
    if (!text || sending) return;
    const id = Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, "0")).join("");
    sending = id; input.value = ""; showMine(text, label); log.scrollTop = log.scrollHeight; status.textContent = BUSY;
    try {
      await (opened ??= begin());
      const message = await insist(() => ask("messages", { id, text }));
      status.textContent = ""; show(message, true);
    } catch {
      if (!session.key) opened = null;
      input.value = label ? "" : text; status.textContent = FAILED; log.append(make("p", { class: "theirs" }, FAILED));
    } finally { sending = null; }
  }

  const host = make("div", {}), root = host.attachShadow({ mode: "open" }), sheet = new CSSStyleSheet();
  sheet.replaceSync(STYLES);
  root.adoptedStyleSheets = [sheet];
  root.append(panel, ...(place ? [] : [launcher]));
  panel.addEventListener("keydown", (event) => { if (event.key === "Escape" && !place) close(); });
  if (script.dataset.layer) host.style.setProperty("z-index", script.dataset.layer);
  if (window.visualViewport) visualViewport.addEventListener("resize", () => panel.style.setProperty("--seen", `${visualViewport.height}px`));
  if (place) { host.className = "page"; place.replaceChildren(host); open(); } else document.body.append(host);
})();
