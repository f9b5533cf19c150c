// The draft of an opinion: every step makes a new one, so that any step can be undone.

export const LABELS = ["supported", "contradicted", "not_in_evidence", "unverifiable", "nonfactual"];
export const SEVERITIES = ["low", "medium", "high", "critical"];
export const ABSTENTIONS = ["none", "correct", "unnecessary", "failed"];
export const EVIDENCE = ["unknown", "hit", "miss"];
const MOST_UNDONE = 300;

export const isUnsupported = (claim) => claim.label === "contradicted" || claim.label === "not_in_evidence";

export function missing(draft) {
  const found = [];
  const count = (test, words) => {
    const number = draft.claims.filter(test).length;
    if (number) { found.push(`${number} claim${number > 1 ? "s" : ""} without ${words}`); }
  };
  count((claim) => claim.label === null, "a label");
  count((claim) => isUnsupported(claim) && claim.severity === null, "a severity");
  count((claim) => !claim.text.trim(), "words");
  if (draft.abstention === "failed" && !draft.answered) { found.push("a failed abstention asserts something"); }
  if (draft.answered && draft.claims.length === 0 && draft.abstention === "none") { found.push("no claim"); }
  return found;
}

export class Work {
  constructor(draft) {
    this.draft = draft;
    this.current = 0;
    this.done = [];
    this.undone = [];
  }

  // Applies a step to a copy; what was before can be had again.
  change(step) {
    const next = structuredClone(this.draft);
    const before = JSON.stringify(this.draft);
    const current = step(next) ?? this.current;
    if (JSON.stringify(next) === before) { this.select(current); return false; }
    this.done.push({ draft: this.draft, current: this.current });
    if (this.done.length > MOST_UNDONE) { this.done.shift(); }
    this.undone = [];
    this.draft = next;
    this.select(current);
    return true;
  }

  select(number) {
    this.current = Math.max(0, Math.min(number, this.draft.claims.length - 1));
  }

  get claim() { return this.draft.claims[this.current]; }

  swap(from, to) {
    const step = from.pop();
    if (!step) { return false; }
    to.push({ draft: this.draft, current: this.current });
    this.draft = step.draft;
    this.select(step.current);
    return true;
  }

  undo() { return this.swap(this.done, this.undone); }
  redo() { return this.swap(this.undone, this.done); }

  nextUnjudged() {
    const claims = this.draft.claims;
    for (let step = 1; step <= claims.length; step += 1) {
      const number = (this.current + step) % claims.length;
      const claim = claims[number];
      if (claim.label === null || (isUnsupported(claim) && claim.severity === null)) { return number; }
    }
    return this.current;
  }

  label(label) {
    return this.change((draft) => {
      const claim = draft.claims[this.current];
      if (!claim) { return; }
      claim.label = label;
      if (!isUnsupported(claim)) { claim.severity = null; claim.subtype = null; }
    });
  }

  set(name, value) {
    return this.change((draft) => { const claim = draft.claims[this.current]; if (claim) { claim[name] = value; } });
  }

  // Splits at a place of the text; both halves keep the label.
  split(place, text = null) {
    return this.change((draft) => {
      const claim = draft.claims[this.current];
      const words = text ?? claim.text;
      const [head, tail] = [words.slice(0, place).trim(), words.slice(place).trim()];
      if (!head || !tail) { return; }
      const half = { ...claim, start: null, end: null };
      draft.claims.splice(this.current, 1, { ...half, text: head }, { ...half, text: tail });
    });
  }

  merge() {
    return this.change((draft) => {
      const [one, other] = draft.claims.slice(this.current, this.current + 2);
      if (!other) { return; }
      const label = one.label === other.label ? one.label : null;
      const merged = { ...one, text: `${one.text.trim()} ${other.text.trim()}`, label, start: null, end: null };
      if (!isUnsupported(merged)) { merged.severity = null; merged.subtype = null; }
      draft.claims.splice(this.current, 2, merged);
    });
  }

  edit(text) {
    return this.change((draft) => {
      const claim = draft.claims[this.current];
      if (claim && text.trim() && claim.text !== text.trim()) {
        Object.assign(claim, { text: text.trim(), start: null, end: null });
      }
    });
  }

  add(text) {
    return this.change((draft) => {
      const place = draft.claims.length ? this.current + 1 : 0;
      draft.claims.splice(place, 0, { text, label: null, severity: null, subtype: null, start: null, end: null });
      return place;
    });
  }

  remove() {
    return this.change((draft) => { draft.claims.splice(this.current, 1); });
  }

  // Whole-case shortcuts: only what is not judged yet.
  rest(label) {
    return this.change((draft) => { for (const claim of draft.claims) { claim.label ??= label; } });
  }

  wholeAbstention(kind) {
    return this.change((draft) => {
      draft.answered = kind === "failed";
      draft.abstention = kind;
      if (kind !== "failed") { for (const claim of draft.claims) { claim.label ??= "nonfactual"; } }
    });
  }
}
