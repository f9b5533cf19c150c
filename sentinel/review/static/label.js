// The labelling page: what keys and buttons do, and how the opinion gets to the server.

import { ABSTENTIONS, EVIDENCE, LABELS, SEVERITIES, Work, isUnsupported, missing } from "./draft.js";
import { drawClaims, element, shown } from "./claims.js";
import { markClaim, markEvidence, show } from "./evidence.js";
import { Saver, randomId, send } from "./saving.js";

const $ = (id) => document.getElementById(id);
const page = $("label-page");
const state = JSON.parse(page.dataset.state);
const work = new Work(state.draft);
const guideline = page.dataset.guideline;
let editing = false;
let places = [];
let placeShown = -1;
let sending = false;
let giveKey = { of: null, key: null };

function say(text) { $("live").textContent = text; }
function tell(kind, text) { $("saved").textContent = text; $("saved").dataset.kind = kind; }
function banner(text, kind = "warning", ...buttons) {
  $("banner").replaceChildren(element("p", {}, text), ...buttons);
  $("banner").dataset.kind = kind;
  $("banner").hidden = !text;
}
function bannerButton(words, act) {
  const button = element("button", { type: "button" }, words);
  button.addEventListener("click", act);
  return button;
}

const saver = new Saver(state, () => work.draft, tell, onConflict);

function onConflict(body) {
  const take = bannerButton("Take the other version", () => {
    work.change((draft) => { Object.assign(draft, body.draft); });
    saver.takeRevision(body.revision);
    saver.pending = null;
    saver.forget();
    banner("");
    tell("saved", "Saved");
    draw();
  });
  const mine = bannerButton("Keep what is on this page", () => {
    saver.takeRevision(body.revision);
    banner("");
    saver.changed();
    saver.flush();
  });
  banner(body.message + " Nothing was overwritten.", "warning", take, mine);
  take.focus();
}

function draw(focus = null) {
  drawClaims($("claims"), work, state, editing, focus);
  const draft = work.draft;
  const lacks = missing(draft);
  const judged = draft.claims.filter((claim) => claim.label !== null && !(isUnsupported(claim) && claim.severity === null)).length;
  $("progress").textContent = `${judged} of ${draft.claims.length} claims judged`;
  $("progress-bar").max = Math.max(1, draft.claims.length);
  $("progress-bar").value = judged;
  $("missing").textContent = lacks.length ? `Missing: ${lacks.join(", ")}` : "Complete";
  $("give").classList.toggle("ready", lacks.length === 0);
  $("answered").checked = draft.answered;
  choose("abstention", draft.abstention);
  choose("evidence_retrieved", draft.evidence_retrieved);
  choose("complete", draft.complete === null ? "unknown" : String(draft.complete));
  for (const box of document.querySelectorAll("[data-cause]")) { box.checked = draft.root_causes.includes(box.value); }
  drawCitations();
  if ($("comment").value !== draft.comment) { $("comment").value = draft.comment; }
  $("undo").disabled = work.done.length === 0;
  $("redo").disabled = work.undone.length === 0;
  const claim = work.claim;
  markClaim(claim?.text ?? "");
  const found = markEvidence(claim?.text ?? "");
  places = found.places;
  placeShown = -1;
}

function choose(name, value) {
  for (const radio of document.querySelectorAll(`input[name="${name}"]`)) { radio.checked = radio.value === value; }
}

function drawCitations() {
  const box = $("citations");
  if (!box) { return; }
  for (const select of box.querySelectorAll("select")) {
    const entails = work.draft.citations[Number(select.dataset.citation)]?.entails ?? null;
    select.value = entails === null ? "" : String(entails);
  }
}

function makeCitations() {
  const box = $("citations");
  work.draft.citations.forEach((citation, number) => {
    const select = element("select", { "data-citation": number, id: `citation-${number}` },
      element("option", { value: "" }, "not judged"), element("option", { value: "true" }, "says it"),
      element("option", { value: "false" }, "does not say it"));
    select.addEventListener("change", () => {
      step(() => work.change((draft) => { draft.citations[number].entails = select.value === "" ? null : select.value === "true"; }));
    });
    box.append(element("label", { for: `citation-${number}` }, element("bdi", {}, citation.id)), select);
  });
  box.closest("fieldset").hidden = work.draft.citations.length === 0;
}

// Does a step of the work, then shows and saves it.
function step(act, focus = null) {
  saver.step();
  if (act() !== false) { saver.changed(); }
  draw(focus);
}
const here = () => `claim-${work.current}`;

function select(number) { saver.step(); editing = false; work.select(number); draw(`claim-${work.current}`); }

function judge(label) {
  if (!work.claim) { return; }
  step(() => work.label(label), here());
  if (isUnsupported(work.claim) && work.claim.severity === null) { say(`${shown(label)}: now its severity, q to r`); return; }
  say(`Claim ${work.current + 1}: ${shown(label)}`);
  select(work.nextUnjudged());
}

function rate(severity) {
  if (!work.claim || !isUnsupported(work.claim)) { say("A severity needs an unsupported claim"); return; }
  step(() => work.set("severity", severity), here());
  say(`Severity ${severity}`);
  select(work.nextUnjudged());
}

function edit(atJoint = false) {
  if (!work.claim) { return; }
  editing = true;
  draw("edit");
  const box = $("claims").querySelector("textarea");
  const joint = atJoint ? box.value.search(/[,;]\s|\s(?:and|but|und|aber)\s/i) : -1;
  box.setSelectionRange(joint < 0 ? box.value.length : joint + 1, joint < 0 ? box.value.length : joint + 1);
}

function add() {
  step(() => work.add(String(getSelection() ?? "").trim().slice(0, 2000)));
  edit();
}

function evidence() {
  if (!places.length) { say("No word of this claim stands in the evidence"); return; }
  placeShown = (placeShown + 1) % places.length;
  const place = places[placeShown];
  show(place);
  say(`${place.met} of its words in ${place.element.closest("[data-source]").dataset.source}, place ${placeShown + 1} of ${places.length}`);
}

function cycle(name, values) {
  const value = values[(values.indexOf(work.draft[name]) + 1) % values.length];
  step(() => work.change((draft) => { draft[name] = value; if (name === "abstention" && value === "failed") { draft.answered = true; } }));
  say(`${name.replace("_", " ")}: ${value}`);
}

// The same words sent again are the same label; other words are another one, whatever became of the first.
function keyOf(draft) {
  const of = JSON.stringify(draft);
  if (giveKey.of !== of) { giveKey = { of, key: randomId() }; }
  return giveKey.key;
}

async function giveOpinion() {
  const lacks = missing(work.draft);
  if (lacks.length) { say(`Not finished: ${lacks.join(", ")}`); banner(`Not finished: ${lacks.join(", ")}.`); select(work.nextUnjudged()); return; }
  if (sending) { return; }
  sending = true;
  $("give").setAttribute("aria-busy", "true");
  saver.step();
  if (!saver.halted) { await saver.flush(); }
  clearTimeout(saver.timer);
  const { status, body } = await send("POST", state.places.give, {
    draft: work.draft, base_revision: saver.revision, idempotency_key: keyOf(work.draft), guideline_version: guideline,
    seconds: saver.seconds, go_on: true,
  });
  sending = false;
  $("give").removeAttribute("aria-busy");
  if (status === 200) { saver.pending = null; saver.forget(); leave(body.next); return; }
  if (status === 0 || status >= 502 || status === 503) {
    banner("No connection: your label is not given yet. It is kept here and sent again by itself.", "warning", bannerButton("Send now", giveOpinion));
    setTimeout(() => { if (!sending) { giveOpinion(); } }, 3000);
    return;
  }
  if (body.error === "conflict") { saver.halted = true; onConflict(body); return; }
  banner(body.message ?? "The label was refused: sign in again, your words are kept in this browser.", "error", otherButton());
}

// Trials and decisions have no next answer to take: they lead back to their list.
function otherButton() {
  if (state.places.list) { return bannerButton("Back to the list", () => leave(state.places.list)); }
  return bannerButton("Take another answer", () => $("next-form").requestSubmit());
}

function leave(place) { saver.halted = true; location.assign(place); }

function dialog(name, prepare = () => {}) {
  const box = $(name);
  if (!box || box.open) { return; }
  prepare(box);
  box.showModal();
}

async function sendDialog(box) {
  const form = box.querySelector("form");
  const fields = Object.fromEntries(new FormData(form));
  if (!await saver.flush() && saver.pending !== null) { box.querySelector(".problem").textContent = "No connection: try again in a moment."; return; }
  const { status, body } = await send("POST", state.places[form.dataset.place], fields);
  if (status !== 200) { box.querySelector(".problem").textContent = body.message ?? "No connection: try again in a moment."; return; }
  if (body.in_labels) {
    box.querySelector(".problem").textContent = `Removed here. ${body.in_labels} label(s) hold these words as well and cannot be changed: tell an admin.`;
    box.addEventListener("close", () => leave(location.pathname), { once: true });
    return;
  }
  leave(body.next ?? location.pathname);
}

const keys = {
  j: () => select(work.current + 1), ArrowDown: () => select(work.current + 1),
  k: () => select(work.current - 1), ArrowUp: () => select(work.current - 1),
  n: () => select(work.nextUnjudged()),
  1: () => judge(LABELS[0]), 2: () => judge(LABELS[1]), 3: () => judge(LABELS[2]), 4: () => judge(LABELS[3]), 5: () => judge(LABELS[4]),
  q: () => rate(SEVERITIES[0]), w: () => rate(SEVERITIES[1]), e: () => (work.claim && isUnsupported(work.claim) ? rate(SEVERITIES[2]) : edit()),
  r: () => rate(SEVERITIES[3]),
  t: () => $("claims").querySelector("select")?.focus(),
  E: () => edit(), Enter: () => edit(), s: () => edit(true), m: () => step(() => work.merge(), here()), a: () => add(),
  x: () => step(() => work.remove(), here()), Delete: () => step(() => work.remove(), here()),
  v: () => evidence(), u: () => step(() => work.undo(), here()), U: () => step(() => work.redo(), here()),
  b: () => cycle("abstention", ABSTENTIONS), i: () => cycle("evidence_retrieved", EVIDENCE),
  o: () => document.querySelector("[data-cause]").focus(),
  f: () => cycle("complete", [null, true, false]),
  l: () => ($("citation-0") ? $("citation-0").focus() : say("The answer cites nothing")),
  c: () => $("comment").focus(),
  g: () => { $("guideline").open = !$("guideline").open; if ($("guideline").open) { $("guideline").querySelector("summary").focus(); } },
  S: () => { step(() => work.rest("supported"), here()); say("All other claims: supported"); },
  N: () => { step(() => work.rest("not_in_evidence"), here()); select(work.nextUnjudged()); say("All other claims: not in evidence; now their severity"); },
  A: () => { step(() => work.wholeAbstention("correct"), here()); say("The answer abstains, rightly"); },
  F: () => { step(() => work.wholeAbstention("failed"), here()); say("It declines and still asserts something"); },
  K: () => dialog("skip-dialog"), X: () => dialog("escalate-dialog"),
  P: () => dialog("personal-dialog", (box) => { box.querySelector("[name=words]").value = String(getSelection() ?? "").trim(); }),
  "?": () => dialog("keys-dialog"),
};

const shortcutsOff = () => { try { return localStorage.getItem("sentinel-shortcuts") === "off"; } catch { return false; } };

function onKey(event) {
  const target = event.target;
  const inText = target.matches("textarea, input:not([type=radio]):not([type=checkbox]), select");
  if ((event.ctrlKey || event.metaKey) && event.key === "Enter" && !target.matches(".edit")) {
    event.preventDefault();
    if (!document.querySelector("dialog[open]")) { giveOpinion(); }
    return;
  }
  if (target.matches(".edit")) { onEditKey(event); return; }
  if (document.querySelector("dialog[open]")) { return; }
  if ((event.ctrlKey || event.metaKey) && !inText && event.key.toLowerCase() === "z") {
    event.preventDefault();
    keys[event.shiftKey ? "U" : "u"]();
    return;
  }
  if (event.key === "Escape" && (inText || target.matches("input"))) { event.preventDefault(); draw(here()); $("claims").querySelector(".current .words")?.focus(); return; }
  if (inText || event.ctrlKey || event.metaKey || event.altKey || shortcutsOff()) { return; }
  const act = keys[event.key];
  const onButton = target.matches("button, summary, a, input");
  if (!act || (event.key === "Enter" && onButton && !target.matches(".words")) || (event.key.startsWith("Arrow") && onButton && !target.matches(".words"))) { return; }
  event.preventDefault();
  banner($("banner").dataset.kind === "warning" && !saver.halted ? "" : $("banner").textContent, $("banner").dataset.kind);
  act();
}

function onEditKey(event) {
  const box = event.target;
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    editing = false;
    step(() => work.split(box.selectionStart, box.value), here());
    say("Split in two");
  } else if (event.key === "Enter" && !event.shiftKey) {
    event.preventDefault();
    editing = false;
    step(() => work.edit(box.value), here());
  } else if (event.key === "Escape") {
    event.preventDefault();
    editing = false;
    if (work.claim.text === "") { step(() => work.undo(), here()); } else { draw(here()); }
  }
}

function onClaimClick(event) {
  const button = event.target.closest("[data-act]");
  const item = event.target.closest("[data-number]");
  if (!item || event.target.matches("select, textarea, option")) { return; }
  const number = Number(item.dataset.number);
  if (number !== work.current) { select(number); }
  if (!button) { return; }
  const { act, value } = button.dataset;
  ({ select: () => { if (placeShown < 0) { evidence(); } }, label: () => judge(value), severity: () => rate(value), evidence, edit: () => edit(),
    split: () => edit(true), merge: keys.m, remove: keys.x }[act])?.();
}

function onRadioKey(event) {
  if (!event.target.matches("[role=radio]") || !event.key.startsWith("Arrow")) { return; }
  const all = [...event.target.parentElement.children];
  const forward = event.key === "ArrowRight" || event.key === "ArrowDown";
  const next = all[(all.indexOf(event.target) + (forward ? 1 : all.length - 1)) % all.length];
  event.preventDefault();
  event.stopPropagation();
  next.focus();
}

function listen() {
  document.addEventListener("keydown", onKey);
  $("claims").addEventListener("click", onClaimClick);
  $("claims").addEventListener("keydown", onRadioKey);
  $("claims").addEventListener("change", (event) => {
    if (event.target.matches("select")) { step(() => work.set("subtype", event.target.value || null), here()); }
  });
  $("claims").addEventListener("focusout", (event) => {
    if (event.target.matches(".edit") && editing) { editing = false; const text = event.target.value; step(() => work.edit(text)); }
  });
  $("case").addEventListener("change", (event) => {
    const { name, value, checked } = event.target;
    step(() => work.change((draft) => {
      if (name === "answered") { draft.answered = checked; }
      else if (name === "complete") { draft.complete = value === "unknown" ? null : value === "true"; }
      else if (name === "abstention" || name === "evidence_retrieved") { draft[name] = value; }
      else if (event.target.dataset.cause !== undefined) {
        draft.root_causes = [...document.querySelectorAll("[data-cause]")].filter((box) => box.checked).map((box) => box.value);
      }
      if (draft.abstention === "failed") { draft.answered = true; }
    }));
  });
  $("comment").addEventListener("input", () => { saver.step(); work.draft.comment = $("comment").value; saver.changed(); });
  for (const button of document.querySelectorAll("[data-key]")) { button.addEventListener("click", () => keys[button.dataset.key]()); }
  $("give").addEventListener("click", giveOpinion);
  for (const box of document.querySelectorAll("dialog")) {
    box.addEventListener("close", () => { const problem = box.querySelector(".problem"); if (problem) { problem.textContent = ""; } });
    box.querySelector("form[data-place]")?.addEventListener("submit", (event) => { event.preventDefault(); sendDialog(box); });
    box.querySelector("[data-close]").addEventListener("click", () => box.close());
  }
  const toggle = $("shortcuts");
  toggle.checked = !shortcutsOff();
  toggle.addEventListener("change", () => { try { localStorage.setItem("sentinel-shortcuts", toggle.checked ? "on" : "off"); } catch { /* stays on */ } });
  document.addEventListener("visibilitychange", () => { if (document.hidden) { saver.flush({ keepalive: true }); } });
  addEventListener("pageshow", (event) => { if (event.persisted) { location.reload(); } });
  addEventListener("online", () => saver.flush());
}

async function keepLease() {
  const { status, body } = await send("POST", state.places.lease, {});
  if (status === 409 || status === 410) {
    banner(body.message, "error", otherButton());
  }
}

function start() {
  makeCitations();
  listen();
  const left = saver.leftBehind();
  if (left && left.revision === state.revision) {
    work.change((draft) => { Object.assign(draft, left.draft); });
    saver.changed();
  } else if (left) {
    saver.forget();
    const restore = bannerButton("Bring them back", () => { step(() => work.change((draft) => { Object.assign(draft, left.draft); })); banner(""); });
    const drop = bannerButton("Leave them", () => banner(""));
    banner("This browser holds words for this answer that were never saved, older than what is saved.", "warning", restore, drop);
  }
  work.select(work.draft.claims.findIndex((claim) => claim.label === null));
  tell("saved", state.revision ? "Saved" : "");
  draw();
  $("claims").querySelector(".current .words")?.focus({ preventScroll: true });
  document.documentElement.dataset.ready = "yes";
  keepLease();
  setInterval(() => { if (!document.hidden) { keepLease(); } }, 240_000);
}

start();
