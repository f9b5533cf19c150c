// Where the words of a claim stand: ranges over the text as it is, so that no markup is ever made of it.

const STOP = new Set(("the a an and or of to in on at for with by from as is are was were be been it its this that these those " +
  "you your we our they their he she his her will would can could may might shall should do does did not no has have had " +
  "der die das und oder ein eine ist sind war mit von zu im in auf für").split(" "));
const MOST_RANGES = 400;
const LONGEST_WORD = 60;
const supported = typeof CSS !== "undefined" && "highlights" in CSS;

export function wordsOf(text) {
  // Citation marks are no words of the claim.
  const plain = text.slice(0, 5000).replace(/\[[^\]\n]{1,80}\]|【[^】\n]{1,80}】/g, " ");
  const found = plain.normalize("NFC").toLowerCase().match(/[\p{L}\p{N}]+(?:[.,'’-][\p{L}\p{N}]+)*/gu) ?? [];
  return [...new Set(found)].filter((word) => word.length <= LONGEST_WORD).filter((word) => /\p{N}/u.test(word) || (word.length > 2 && !STOP.has(word))).slice(0, 60);
}

const escaped = (word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

function rangesIn(element, words) {
  const node = element.firstChild;
  if (!node || node.nodeType !== Node.TEXT_NODE || !words.length) { return { ranges: [], words: new Set() }; }
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}])(?:${words.map(escaped).join("|")})(?![\\p{L}\\p{N}])`, "giu");
  const ranges = [];
  const met = new Set();
  for (const match of node.data.matchAll(pattern)) {
    const range = new Range();
    range.setStart(node, match.index);
    range.setEnd(node, match.index + match[0].length);
    ranges.push(range);
    met.add(match[0].toLowerCase());
    if (ranges.length >= MOST_RANGES) { break; }
  }
  return { ranges, words: met };
}

// Marks the claim's words in all evidence; returns places by number of different words, best first.
export function markEvidence(text) {
  const words = wordsOf(text);
  const places = [];
  const all = [];
  for (const element of document.querySelectorAll("[data-evidence]")) {
    const found = rangesIn(element, words);
    if (found.ranges.length) { places.push({ element, ranges: found.ranges, met: found.words.size }); }
    all.push(...found.ranges);
  }
  places.sort((one, other) => other.met - one.met);
  if (supported) { CSS.highlights.set("evidence", new Highlight(...all)); }
  return { places, words: words.length };
}

// Marks where the claim itself stands in the answer.
export function markClaim(text) {
  const node = document.querySelector("[data-answer]")?.firstChild;
  if (!supported || !node) { return; }
  const start = text ? node.data.indexOf(text) : -1;
  if (start < 0) { CSS.highlights.delete("claim"); return; }
  const range = new Range();
  range.setStart(node, start);
  range.setEnd(node, start + text.length);
  CSS.highlights.set("claim", new Highlight(range));
}

export function show(place) {
  place.element.closest("[data-source]")?.scrollIntoView({ block: "nearest" });
  if (supported) { CSS.highlights.set("here", new Highlight(...place.ranges)); }
}
