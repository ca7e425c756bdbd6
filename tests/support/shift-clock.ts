// `--import` loads this before a server. It shifts the wall clock by the milliseconds in this module's address (`?by=-30000`), as
// on a machine whose clock is not synchronized. The monotonic clock is not shifted.
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
