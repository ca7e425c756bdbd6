/** Maps values to positions on an axis. */
export interface Scale {
  /** 0 at the lower end, 1 at the upper end. Values outside are clamped. */
  at: (value: number) => number;
  /** Labelled values, ascending. */
  ticks: readonly number[];
}

const within = (share: number) => Math.min(1, Math.max(0, share));

/**
 * From 0 to a round number above the highest value, with two to five ticks.
 *
 * @param values all values that must fit
 * @param smallestStep such as 1 for counts
 */
export function linearScale(values: readonly number[], smallestStep = 0): Scale {
  const highest = Math.max(...values, 0) || 1;
  const step = Math.max(roundUp(highest / 4), smallestStep);
  const steps = Math.max(1, Math.ceil(highest / step - 1e-9));
  const top = steps * step;
  return {
    at: (value) => within(value / top),
    ticks: Array.from({ length: steps + 1 }, (_, index) => Number((index * step).toPrecision(12))),
  };
}

/**
 * From one power of ten to another, with a tick for each: for values that differ by factors of 1,000.
 *
 * @param values all values that must fit. Values up to 0 are placed at the lower end
 */
export function logScale(values: readonly number[]): Scale {
  const powers = values.filter((value) => value > 0).map(Math.log10);
  const low = Math.floor(Math.min(...powers, 0));
  const high = Math.ceil(Math.max(...powers, low + 1));
  return {
    at: (value) => (value > 0 ? within((Math.log10(value) - low) / (high - low)) : 0),
    ticks: Array.from({ length: high - low + 1 }, (_, index) => Number((10 ** (low + index)).toPrecision(1))),
  };
}

/** The next of 1, 2, 5, 10, 20, … */
function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  const factor = [1, 2, 5, 10].find((each) => each * power >= value * (1 - 1e-9)) ?? 10;
  return factor * power;
}
