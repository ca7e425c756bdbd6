import type { Clock } from '@latchkey/shared/clock';
import { AppError } from '@latchkey/shared/errors';
import { withTimeLimit } from '@latchkey/shared/lifecycle';
import { createCallLimiter } from './call-limiter.ts';
import { createCustodianHealth } from './custodian-health.ts';
import { CustodianFault, type KeyCustodian } from './key-custodian.ts';

/** Calls under way. A token in a network answers in some milliseconds, so these are thousands a second, and below the limits of a KMS. */
const atOnceMost = 32;
/** Calls that wait for one of them. Each is one content key, whatever the number of viewers that wait for it. */
const waitingMost = 10_000;
/** A call that takes longer counts as failed. hls.js waits 8 s for the first byte of a key, and a second try must fit. */
const answerLimitMs = 2_000;
/** From the request of a key on, waiting included: then it is answered 503. */
const patienceMs = 5_000;
/** A call that fails because the custodian is away is made at most as often as this. */
const triesMost = 3;
/** Between two tries, doubled each time. AWS throttles by the second, and a token that was restarted needs some 100 ms. */
const firstPauseMs = 50;
/** A check does not call a custodian that has answered within this time. */
const answerHoldsMs = 10_000;
/** `/ready` gives a check 2 s. */
const checkLimitMs = 1_500;
/** The message whose MAC a check requests: the info of the fingerprint, which is no secret. */
const checkMessage = Buffer.from('/fingerprint\x01');

/** The state of a custodian, for `/ready` and the metrics. */
interface CustodianState {
  /** Why the last call failed; null after one that succeeded, and before the first. */
  fault: CustodianFault | null;
  underWay: number;
  waiting: number;
}

export interface CustodianCalls {
  /**
   * @returns 32 bytes
   * @throws AppError DEPENDENCY_UNAVAILABLE, which says why in the line of the log
   */
  mac(message: Uint8Array): Promise<Buffer>;
  state(): CustodianState;
  /**
   * Checks that the custodian answers, unless it has answered lately.
   *
   * @throws CustodianFault, or the error of the time limit
   */
  check(): Promise<void>;
}

/** The purpose of a call: a key, or a check that the custodian answers. */
type Purpose = 'key' | 'check';

interface CallOptions {
  custodian: KeyCustodian;
  clock: Clock;
  /** 0 to below 1, to spread the calls of several processes. */
  random: () => number;
  pause: (ms: number) => Promise<unknown>;
  /** @param outcome `answered`, or the kind of the fault */
  onCall: (purpose: Purpose, outcome: 'answered' | CustodianFault['kind'], seconds: number) => void;
  /** A fault that differs from the fault of the call before: for the operator's log. */
  onFault: (fault: CustodianFault) => void;
}

/**
 * Calls a custodian without ever flooding it: a bounded number at once, the others in their order, a pause between tries, and a rest when
 * it fails again and again. During a rest every call fails at once, until one is let through that shows whether it is back.
 */
export function createCustodianCalls(options: CallOptions): CustodianCalls {
  const { custodian, clock, random, pause, onCall, onFault } = options;
  /** Half of it to all of it. */
  const spread = (ms: number) => ms * (0.5 + random() / 2);
  const health = createCustodianHealth(clock, spread);
  const turns = createCallLimiter(atOnceMost, waitingMost);

  async function callOnce(purpose: Purpose, message: Uint8Array): Promise<Buffer> {
    const beganMs = clock.monotonic();
    const seconds = () => (clock.monotonic() - beganMs) / 1_000;
    try {
      const answer = await answerWithin(custodian, message);
      onCall(purpose, 'answered', seconds());
      health.noteAnswer();
      return answer;
    } catch (error) {
      const found = toFault(error);
      onCall(purpose, found.kind, seconds());
      if (health.fault?.message !== found.message) onFault(found);
      health.noteFault(found);
      throw found;
    }
  }

  async function callUntilAnswered(message: Uint8Array, untilMs: number): Promise<Buffer> {
    for (let tries = 1; ; tries++) {
      if (!health.mayCall(answerLimitMs)) throw unavailable(health.fault?.message ?? '');
      try {
        return await callOnce('key', message);
      } catch (error) {
        const { kind, message: why, retryAfterMs = 0 } = error as CustodianFault;
        const pauseMs = Math.max(retryAfterMs, spread(firstPauseMs * 2 ** tries));
        const isOver = kind === 'refused' || tries >= triesMost || clock.monotonic() + pauseMs >= untilMs;
        if (isOver) throw unavailable(why, tries);
        await pause(pauseMs);
      }
    }
  }

  return {
    async mac(message) {
      const untilMs = clock.monotonic() + patienceMs;
      const turn = turns.take();
      if (!turn) throw unavailable(`${waitingMost} calls wait already`);
      await turn;
      try {
        if (clock.monotonic() >= untilMs) throw unavailable(`no turn within ${patienceMs} ms`);
        return await callUntilAnswered(message, untilMs);
      } finally {
        turns.pass();
      }
    },
    state: () => ({ fault: health.fault, underWay: turns.underWay, waiting: turns.waiting }),
    async check() {
      if (health.fault && health.isResting()) throw health.fault;
      if (!health.answeredWithin(answerHoldsMs))
        await withTimeLimit(checkLimitMs, callOnce('check', checkMessage));
    },
  };
}

/** A native module cannot be interrupted: its answer then comes too late, and is not waited for. */
async function answerWithin(custodian: KeyCustodian, message: Uint8Array): Promise<Buffer> {
  const signal = AbortSignal.timeout(answerLimitMs);
  const late = Promise.withResolvers<never>();
  const onAbort = () => late.reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([custodian.mac(message, signal), late.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

function toFault(error: unknown): CustodianFault {
  if (error instanceof CustodianFault) return error;
  const isLate = error instanceof Error && error.name === 'TimeoutError';
  const message = isLate ? `it gave no answer within ${answerLimitMs} ms` : 'it failed';
  return new CustodianFault('away', message, { cause: error });
}

/** It has no cause: the fault is logged once, and not with each request. */
function unavailable(why: string, tries = 0): AppError {
  return new AppError('DEPENDENCY_UNAVAILABLE', { call: { upstream: 'master-key', tries, why } });
}
