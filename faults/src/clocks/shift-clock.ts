// Loaded before a server by `--import`: its wall clock is wrong by the milliseconds in this module's address (`?by=-30000`) from
// the start, as on a machine whose time nobody keeps. The monotonic clock stays as it is.
const shiftMs = Number(new URL(import.meta.url).searchParams.get('by'));
const RightDate = Date;

class ShiftedDate extends RightDate {
  constructor(...given: unknown[]) {
    if (given.length === 0) super(RightDate.now() + shiftMs);
    else super(...(given as [number]));
  }
  static override now(): number {
    return RightDate.now() + shiftMs;
  }
}

globalThis.Date = ShiftedDate as DateConstructor;
