import type { Clock } from '@latchkey/shared/clock';
import type { OperatorLog } from '@latchkey/shared/log';

/** A log with a line for each of a thousand channels of an origin that is away would hide everything else. */
const linesAMinute = 20;
const minuteMs = 60_000;

/**
 * Tells the operator why a playlist cannot be served: each reason of each playlist once a minute, and 20 lines a minute at most. The
 * query of a URL is left out, because sources sign there.
 */
export function createFaultReport(
  log: Pick<OperatorLog, 'warn'>,
  clock: Pick<Clock, 'monotonic'>,
): (url: URL, fault: unknown) => void {
  let minute = Number.NEGATIVE_INFINITY;
  let told = new Set<string>();
  let untold = 0;
  return (url, fault) => {
    const present = Math.floor(clock.monotonic() / minuteMs);
    if (present !== minute) {
      if (untold > 0) log.warn(`in the last minute ${untold} more playlists could not be served`);
      [minute, told, untold] = [present, new Set(), 0];
    }
    const reason = `${url.origin}${url.pathname}: ${fault instanceof Error ? fault.message : String(fault)}`;
    if (told.has(reason)) return;
    if (told.size >= linesAMinute) {
      untold++;
      return;
    }
    told.add(reason);
    log.warn(
      `sessions get 503 for the playlist ${url.origin}${url.pathname}. Its source is away, or it serves no playlist that can be used`,
      { error: fault },
    );
  };
}
