// Preloaded into a server: its clock is ten minutes behind, so URLs that it gives for five minutes are over for everybody else.
const behindMs = 600_000;
const now = Date.now;
const RealDate = Date;
globalThis.Date = class extends RealDate {
  constructor(...given) {
    super(...(given.length === 0 ? [now() - behindMs] : given));
  }
  static now() {
    return now() - behindMs;
  }
};
