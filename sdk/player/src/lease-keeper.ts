import { type Clock, sleep } from './clock.ts';
import { createDeferred, type Deferred } from './deferred.ts';
import type { Lease, LeaseGrant } from './lease.ts';
import type { LeaseCalls, LeaseWish } from './lease-calls.ts';
import { PlayerError, toPlayerError } from './player-error.ts';
import { type RetryOptions, retry } from './retry.ts';

/** Renewed up to a tenth sooner than the server says, so that viewers who began together do not renew together. */
const renewalJitter = 0.1;
/** Between attempts to reach a server that is away. A renewal has a quarter of the lease's life to succeed. */
const backOff = { firstDelayMs: 1_000, maxDelayMs: 10_000 };
/** A page that comes back waits no longer for the release that it sent when it was left. */
const releaseTimeoutMs = 2_000;

export interface LeaseKeeperPorts {
  readonly calls: LeaseCalls;
  readonly wish: LeaseWish;
  readonly clock: Clock;
  readonly random: () => number;
  /**
   * The giving back of what was held before. Nothing is taken until then: the server would give the same lease for the same
   * content and device, or count the old one as one too many.
   */
  readonly before?: Promise<unknown> | undefined;
  readonly maxRetryAfterMs: number;
  /** Whether the viewer has waited long enough for a first lease. */
  readonly givesUp: (sinceMs: number) => boolean;
  readonly onChange: (lease: Lease | null) => void;
  readonly onRetry: NonNullable<RetryOptions['onRetry']>;
  /** The lease is gone for good, or cannot be had. */
  readonly onLost: (error: PlayerError) => void;
}

/** Holds one lease for as long as somebody watches. */
export interface LeaseKeeper {
  readonly lease: Lease | null;
  /** Takes a lease, unless there is one. @throws PlayerError, which `onLost` has heard, too */
  take(): Promise<void>;
  /** The lease's id once there is one; undefined where the server keeps none. @throws PlayerError where none can be had */
  leaseId(): Promise<string | undefined>;
  /** Takes a new lease in place of one that the server no longer knows as active. Nothing where that is done already. */
  replace(leaseId: string): Promise<void>;
  /** Renews at once: whether the lease still holds. A new one takes the place of an expired one. */
  check(): Promise<void>;
  /** Renews no more: nobody plays. What is held can still be given back. */
  stop(): void;
  /** Gives the lease back. Never fails: an unreachable server lets it expire. */
  release(): Promise<void>;
  /** The same while nobody watches: `take()` begins anew. */
  rest(): void;
  /** The same, for a page that is being left. `take()` begins anew should it come back. */
  releaseNow(): void;
}

export function createLeaseKeeper(ports: LeaseKeeperPorts): LeaseKeeper {
  const { calls, wish, clock } = ports;
  const own: Holding = { lease: null, stretch: new AbortController(), ready: createDeferred() };

  function hold({ lease, renew_after_seconds }: LeaseGrant) {
    own.lease = lease;
    clock.clearTimeout(own.timer);
    const delayMs = renew_after_seconds * 1_000 * (1 - renewalJitter * ports.random());
    own.timer = clock.setTimeout(() => check().catch(() => {}), delayMs);
    ports.onChange(lease);
  }

  function take(): Promise<void> {
    if (own.lease) return Promise.resolve();
    if (own.ready.isSettled && !own.taking) own.ready = createDeferred();
    const mine = own.taking ?? create(ports, own, hold);
    own.taking = mine;
    const forget = () => {
      if (own.taking === mine) own.taking = undefined;
    };
    mine.then(forget, forget);
    return mine;
  }

  const check = () => renew(ports, own, hold, replace);

  async function replace(leaseId: string) {
    if (own.lease?.id !== leaseId) return own.ready.promise;
    end(ports, own);
    await take();
  }

  function giveBack(revoke: (leaseId: string) => Promise<void>) {
    const id = own.lease?.id;
    end(ports, own);
    if (id !== undefined) own.givingBack = revoke(id);
  }

  return {
    get lease() {
      return own.lease;
    },
    take,
    async leaseId() {
      await own.ready.promise;
      return own.lease?.id;
    },
    replace,
    check,
    stop: () => stop(ports, own),
    async release() {
      const { taking } = own;
      const id = own.lease?.id;
      end(ports, own);
      own.ready.reject(givenBack());
      if (id !== undefined) await calls.revoke(id).catch(() => {});
      // One that is still to come is given back when it does.
      await taking?.catch(() => {});
      if (own.givingBack) await own.givingBack;
    },
    rest: () => giveBack((id) => calls.revoke(id).catch(() => {})),
    releaseNow() {
      if (own.taking && !own.lease) calls.leave(wish);
      giveBack((id) => Promise.race([calls.revokeNow(id), sleep(clock, releaseTimeoutMs)]));
    },
  };
}

/** What a keeper has. */
interface Holding {
  lease: Lease | null;
  /** From the taking of a lease to its end. What comes back later belongs to no stretch. */
  stretch: AbortController;
  /** Settles once there is a lease, or none can be had. */
  ready: Deferred<void>;
  taking?: Promise<void> | undefined;
  /** Of the next renewal. */
  timer?: unknown;
  /** The release of a page that was left, or of a video that was paused, and may be back before it has arrived. */
  givingBack?: Promise<void> | undefined;
}

/** Renews no more. */
function stop({ clock }: LeaseKeeperPorts, own: Holding) {
  own.stretch.abort(givenBack());
  clock.clearTimeout(own.timer);
}

/** Ends the stretch. Later callers wait for the next lease. */
function end(ports: LeaseKeeperPorts, own: Holding) {
  stop(ports, own);
  own.stretch = new AbortController();
  own.taking = undefined;
  if (own.ready.isSettled) own.ready = createDeferred();
  if (!own.lease) return;
  own.lease = null;
  ports.onChange(null);
}

function lose(ports: LeaseKeeperPorts, own: Holding, error: PlayerError): never {
  end(ports, own);
  own.ready.reject(error);
  ports.onLost(error);
  throw error;
}

async function create(
  ports: LeaseKeeperPorts,
  own: Holding,
  hold: (grant: LeaseGrant) => void,
): Promise<void> {
  const { calls, wish } = ports;
  const { signal } = own.stretch;
  const startMs = ports.clock.now();
  try {
    await ports.before;
    if (own.givingBack) await own.givingBack;
    own.givingBack = undefined;
    if (signal.aborted) return;
    const givesUp = () => ports.givesUp(startMs);
    const grant = await retry(() => calls.create(wish), { ...ports, ...backOff, signal, givesUp });
    if (signal.aborted) {
      // Given back before it came.
      if (grant) own.givingBack = calls.revokeNow(grant.lease.id);
      return;
    }
    if (grant) hold(grant);
    own.ready.resolve();
  } catch (error) {
    if (!signal.aborted) lose(ports, own, toPlayerError(error));
  }
}

async function renew(
  ports: LeaseKeeperPorts,
  own: Holding,
  hold: (grant: LeaseGrant) => void,
  replace: (leaseId: string) => Promise<void>,
): Promise<void> {
  if (!own.lease) return;
  const { signal } = own.stretch;
  const { id } = own.lease;
  try {
    const renewing = () => ports.calls.renew(id, ports.wish);
    const grant = await retry(renewing, { ...ports, ...backOff, signal, givesUp: () => false });
    if (!signal.aborted) hold(grant);
  } catch (thrown) {
    if (signal.aborted) return;
    const error = toPlayerError(thrown);
    // The machine slept, or the server was away for long: the viewer did nothing wrong.
    if (isOver(error)) await replace(id);
    else lose(ports, own, error);
  }
}

const givenBack = () => new PlayerError('ABORTED', 'The lease was given back.');

/** Whether a lease has ended by time alone, so that another may be taken. A revoked one may not. */
export function isOver({ code }: PlayerError): boolean {
  return code === 'LEASE_EXPIRED' || code === 'LEASE_UNKNOWN';
}
