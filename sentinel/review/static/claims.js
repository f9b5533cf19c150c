// The list of claims: made of elements and text nodes only, drawn anew after each step.

import { LABELS, SEVERITIES, isUnsupported } from "./draft.js";

const WORDS = { not_in_evidence: "not in evidence" };
export const shown = (name) => WORDS[name] ?? name;

export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) { made.setAttribute(name, ""); }
    else if (value !== false && value !== null && value !== undefined) { made.setAttribute(name, value); }
  }
  made.append(...children.filter((child) => child !== null));
  return made;
}

function choices(name, values, chosen, keys, place, words) {
  const group = element("div", { class: `choices ${name}`, role: "radiogroup", "aria-label": words });
  values.forEach((value, number) => {
    const isChosen = value === chosen;
    const button = element("button", {
      type: "button", role: "radio", "aria-checked": String(isChosen), "data-act": name, "data-value": value,
      "data-focus": `${place}-${name}-${value}`, class: `choice ${value}`,
      tabindex: isChosen || (chosen === null && number === 0) ? "0" : "-1",
    }, element("kbd", { "aria-hidden": "true" }, keys[number]), ` ${shown(value)}`);
    group.append(button);
  });
  return group;
}

function subtypes(claim, place, state) {
  const select = element("select", { "data-act": "subtype", "data-focus": `${place}-subtype`, "aria-label": "Kind of failure" },
    element("option", { value: "" }, "kind of failure …"));
  const known = [...state.subtypes, ...Object.values(state.families).flat()];
  const add = (parent, value, text) => parent.append(element("option", { value, selected: claim.subtype === value }, text));
  const usual = element("optgroup", { label: "Usual" });
  for (const value of state.subtypes) { add(usual, value, value); }
  select.append(usual);
  for (const [family, names] of Object.entries(state.families)) {
    const group = element("optgroup", { label: `Family ${family}` });
    for (const value of names) { add(group, value, value.toLowerCase().replaceAll("_", " ")); }
    select.append(group);
  }
  if (claim.subtype && !known.includes(claim.subtype)) { add(select, claim.subtype, claim.subtype); }
  return select;
}

function tool(act, key, words, place) {
  return element("button", { type: "button", class: "tool", "data-act": act, "data-focus": `${place}-${act}` },
    element("kbd", { "aria-hidden": "true" }, key), ` ${words}`);
}

function claimItem(claim, number, work, state, editing) {
  const place = `claim-${number}`;
  const isCurrent = number === work.current;
  const isEdited = isCurrent && editing;
  const item = element("li", {
    class: `claim ${claim.label ?? "unjudged"}${isCurrent ? " current" : ""}`, "data-number": number,
    "aria-current": isCurrent ? "true" : null,
  });
  const words = isEdited
    ? element("textarea", { class: "edit", "data-focus": "edit", rows: "3", dir: "auto", "aria-label": `Words of claim ${number + 1}` })
    : element("button", { type: "button", class: "words", "data-act": "select", "data-focus": place, dir: "auto",
      "aria-label": `Claim ${number + 1} of ${work.draft.claims.length}, ${claim.label ? shown(claim.label) : "no label yet"}: ${claim.text.slice(0, 300)}` },
    claim.text);
  if (isEdited) { words.value = claim.text; }
  item.append(element("span", { class: "number", "aria-hidden": "true" }, String(number + 1)), words);
  if (isEdited) {
    item.append(element("p", { class: "note hint" }, "Enter keeps it · Ctrl+Enter splits it at the cursor · Esc leaves it as it was"));
    return item;
  }
  if (!isCurrent) {
    const severity = claim.severity && isUnsupported(claim) ? `, ${claim.severity}` : "";
    item.append(element("span", { class: "said", "aria-hidden": "true" }, claim.label ? shown(claim.label) + severity : "no label yet"));
    return item;
  }
  item.append(choices("label", LABELS, claim.label, ["1", "2", "3", "4", "5"], place, `Label of claim ${number + 1}`));
  if (isUnsupported(claim)) {
    item.append(element("div", { class: "harm" },
      choices("severity", SEVERITIES, claim.severity, ["q", "w", "e", "r"], place, `Severity of claim ${number + 1}`),
      subtypes(claim, place, state)));
  }
  item.append(element("div", { class: "tools" },
    tool("evidence", "v", "show evidence", place), tool("edit", "↵", "edit", place), tool("split", "s", "split", place),
    number + 1 < work.draft.claims.length ? tool("merge", "m", "merge with next", place) : null,
    tool("remove", "x", "remove", place)));
  return item;
}

// Draws the list; the focus stays on what had it, or goes where `focus` says.
export function drawClaims(list, work, state, editing, focus = null) {
  const had = list.contains(document.activeElement) ? document.activeElement.dataset.focus : null;
  list.replaceChildren(...work.draft.claims.map((claim, number) => claimItem(claim, number, work, state, editing)));
  const wanted = focus ?? had;
  if (wanted) {
    const target = [...list.querySelectorAll("[data-focus]")].find((one) => one.dataset.focus === wanted);
    target?.focus({ preventScroll: true });
  }
  if (had || focus) { list.querySelector(".current")?.scrollIntoView({ block: "nearest" }); }
}
