// Drafts to the server: each save names the revision it builds on and can be sent again without harm.

export const csrf = () => document.querySelector('meta[name="csrf-token"]')?.content ?? "";

export function randomId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

// Returns {status, body}; status 0 is no connection.
export async function send(method, place, body, more = {}) {
  try {
    const answer = await fetch(place, {
      method,
      headers: { "content-type": "application/json", accept: "application/json", "x-csrf-token": csrf() },
      body: JSON.stringify(body ?? {}),
      redirect: "error",
      ...more,
    });
    let parsed = {};
    try { parsed = await answer.json(); } catch { /* an error page: its status says enough */ }
    return { status: answer.status, body: parsed };
  } catch {
    return { status: 0, body: {} };
  }
}

const LONGEST_PAUSE = 60;

// Keeps a draft on the server. `tell(kind, text)` shows how it stands; `onConflict(body)` decides.
export class Saver {
  constructor(state, read, tell, onConflict) {
    this.place = state.places.save;
    this.revision = state.revision;
    this.key = `sentinel-draft-${state.slot}-${state.unit}`;
    this.read = read;
    this.tell = tell;
    this.onConflict = onConflict;
    this.pending = null;
    this.running = null;
    this.timer = null;
    this.halted = false;
    this.seconds = 0;
    this.lastStep = performance.now();
  }

  // Time on task: pauses of more than a minute were spent elsewhere and are left out as a whole.
  step() {
    const now = performance.now(), pause = (now - this.lastStep) / 1000;
    if (pause <= LONGEST_PAUSE) { this.seconds += pause; }
    this.lastStep = now;
  }

  changed() {
    this.pending = { save_id: randomId() };
    // Until the server has it, a closed tab must not lose it.
    try { localStorage.setItem(this.key, JSON.stringify({ revision: this.revision, draft: this.read() })); } catch { /* full or forbidden */ }
    this.tell("waiting", "Not saved yet");
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.flush(), 700);
  }

  leftBehind() {
    try { return JSON.parse(localStorage.getItem(this.key)); } catch { return null; }
  }

  forget() {
    try { localStorage.removeItem(this.key); } catch { /* nothing was kept */ }
  }

  get isClean() { return this.pending === null && this.running === null; }

  async flush(more = {}) {
    clearTimeout(this.timer);
    // Each that waited looks again: two saves of the same words would take their seconds off twice.
    while (this.running) { await this.running; }
    if (this.pending === null || this.halted) { return this.pending === null; }
    this.running = this.once(more);
    const done = await this.running;
    this.running = null;
    if (done && this.pending !== null) { return this.flush(more); }
    return done;
  }

  async once(more) {
    const sending = this.pending;
    const seconds = this.seconds;
    this.tell("saving", "Saving …");
    const { status, body } = await send("PUT", this.place, {
      base_revision: this.revision, save_id: sending.save_id, seconds, draft: this.read(),
    }, more);
    if (status === 200) {
      this.revision = body.revision;
      this.seconds -= seconds;
      if (this.pending === sending) { this.pending = null; this.forget(); this.tell("saved", "Saved"); }
      return true;
    }
    if (status === 409 && body.error === "conflict") {
      this.halted = true;
      this.tell("failed", "Changed on another page");
      this.onConflict(body);
    } else if (status >= 400 && status < 500 && status !== 408 && status !== 429) {
      this.tell("failed", body.message ?? "Not saved: sign in again, your words are kept in this browser");
    } else {
      this.tell("offline", "No connection: kept in this browser, trying again");
      this.timer = setTimeout(() => this.flush(), 3000);
    }
    return false;
  }

  // After a conflict: go on from the revision the server has.
  takeRevision(revision) { this.revision = revision; this.halted = false; }
}
