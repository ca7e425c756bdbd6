/** `Date` has whole seconds, and the answer takes its time. A difference within this is not told from none. */
const toleratedMs = { behind: 1_500, ahead: 2_500 };

/**
 * The server's clock less this machine's, by `Date` of an answer (RFC 9110, section 6.6.1).
 *
 * @param receivedAt by this machine's clock, in milliseconds since 1970
 * @returns milliseconds; 0 where they agree as far as can be told
 */
export function readClockOffset(headers: Headers, receivedAt: number): number {
  const serverAt = Date.parse(headers.get('date') ?? '');
  if (Number.isNaN(serverAt)) return 0;
  const differenceMs = serverAt - receivedAt;
  const isClose = differenceMs >= -toleratedMs.ahead && differenceMs <= toleratedMs.behind;
  // Half a second is what the whole seconds of `Date` hide on average.
  return isClose ? 0 : differenceMs + 500;
}

/** @param offsetMs as {@link readClockOffset} gives it; not 0 */
export function describeClockOffset(offsetMs: number): string {
  const seconds = Math.round(Math.abs(offsetMs) / 100) / 10;
  return `the clock of this machine is ${seconds} s ${offsetMs > 0 ? 'behind' : 'ahead of'} the server's`;
}
