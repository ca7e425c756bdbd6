/**
 * An option that counts seconds. A `NaN`, such as of a missing setting, would make waits end at once: requests without a pause.
 *
 * @returns milliseconds, `Infinity` included
 * @throws TypeError for anything other than a number of 0 or more
 */
export function msOfSeconds(name: string, seconds: number): number {
  if (typeof seconds === 'number' && seconds >= 0) return seconds * 1_000;
  throw new TypeError(`${name} has to be a number of seconds, 0 or more, not ${String(seconds)}.`);
}
