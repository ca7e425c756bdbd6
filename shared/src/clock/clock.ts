import { uptime } from 'node:os';

/** Time as an argument: the real clock in service, a manual one in tests. */
export interface Clock {
  /** Wall clock, milliseconds since 1970 (UTC). For what is stored, shown or compared with a token. */
  now(): number;
  /** Milliseconds that never go back. For ages: a wall clock that is set back must not make a state look fresh. */
  monotonic(): number;
}

/**
 * The smallest step of the wall clock that counts as a jump. Rounding errors stay below 1 ms. NTP slews both clocks alike
 * for differences up to 128 ms, and steps the wall clock for larger ones (ntpd's default, `tinker step`).
 */
const jumpMs = 100;

/** The clocks of a machine, in milliseconds, each with its own origin. */
const machineClocks = {
  /** Never set, and fine-grained. It stops while the machine sleeps. */
  tickMs: () => performance.now(),
  /** Set by administrators, by NTP and by the virtual machine's host. Whole milliseconds. */
  wallMs: () => Date.now(),
  /** Time since boot, sleep included. Reading it takes a system call, so it is read only after a jump. */
  uptimeMs: () => uptime() * 1_000,
};

/**
 * A clock made from a machine's clocks.
 *
 * `monotonic` must include the time that the machine slept or was paused by its host: an hour-old state must not look
 * fresh afterwards. The tick does not include it, so jumps of the wall clock against the tick are added. The code
 * compares the clocks' difference, not their steps: if one clock has whole milliseconds and the other has fractions, the
 * steps add up to nearly twice the time. A wall clock that is set forward makes states look older than they are, never fresher.
 */
export function createSystemClock(clocks = machineClocks): Clock {
  const { tickMs, wallMs } = clocks;
  const startTickMs = tickMs();
  /** The wall clock's lead over the tick at the last reading, and the highest lead that was counted. */
  let leadMs = wallMs() - startTickMs;
  let countedLeadMs = leadMs;
  /** The uptime's lead over the tick: it grows by the time that the machine sleeps. */
  let uptimeLeadMs = clocks.uptimeMs() - startTickMs;
  /** Time that the tick did not include. */
  let missedMs = 0;

  function isJump(lead: number): boolean {
    return lead - leadMs >= jumpMs || lead - countedLeadMs >= jumpMs;
  }

  /** @returns the current lead of the wall clock */
  function countJump(): number {
    // Read again, because the process may have been interrupted between its readings of the two clocks.
    const tick = tickMs();
    const lead = wallMs() - tick;
    if (!isJump(lead)) return lead;
    // Sleep counts each time. Otherwise only the part beyond the highest lead counts, so that a wall clock that is set
    // forward and back repeatedly does not add up.
    const sleptMs = Math.max(0, clocks.uptimeMs() - tick - uptimeLeadMs);
    uptimeLeadMs += sleptMs;
    countedLeadMs += sleptMs;
    const steppedMs = lead - countedLeadMs >= jumpMs ? lead - countedLeadMs : 0;
    countedLeadMs += steppedMs;
    missedMs += sleptMs + steppedMs;
    return lead;
  }

  return {
    now: wallMs,
    monotonic() {
      const tick = tickMs();
      const lead = wallMs() - tick;
      leadMs = isJump(lead) ? countJump() : lead;
      return tick - startTickMs + missedMs;
    },
  };
}
