import { type Clock, sleep } from './clock.ts';
import { createDeferred } from './deferred.ts';
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
  const { calls, wish, clock, random, maxRetryAfterMs, onChange } = ports;
  /** One stretch of holding: from the taking of a lease to its end. What comes back later belongs to no stretch. */
  let stretch = new AbortController();
  let ready = createDeferred<void>();
  let lease: Lease | null = null;
  let taking: Promise<void> | undefined;
  let timer: unknown;
  /** The release of a page that was left, or of a video that was paused, and may be back before it has arrived. */
  let givingBack: Promise<void> | undefined;

  /** Whoever asks for the lease's id from now on waits for the next one. */
  function end() {
    stretch.abort(givenBack());
    stretch = new AbortController();
    taking = undefined;
    clock.clearTimeout(timer);
    if (ready.isSettled) ready = createDeferred();
    if (lease === null) return;
    lease = null;
    onChange(null);
  }

  function hold(grant: LeaseGrant) {
    lease = grant.lease;
    const delayMs = grant.renew_after_seconds * 1_000 * (1 - renewalJitter * random());
    clock.clearTimeout(timer);
    timer = clock.setTimeout(() => renew().catch(() => {}), delayMs);
    onChange(lease);
  }

  function lose(error: PlayerError): never {
    end();
    ready.reject(error);
    ports.onLost(error);
    throw error;
  }

  function persist<T>(call: () => Promise<T>, signal: AbortSignal, givesUp = () => false): Promise<T> {
    const { onRetry } = ports;
    return retry(call, { clock, random, maxRetryAfterMs, onRetry, ...backOff, signal, givesUp });
  }

  async function create(): Promise<void> {
    const { signal } = stretch;
    const startMs = clock.now();
    try {
      await ports.before;
      if (givingBack) await givingBack;
      givingBack = undefined;
      if (signal.aborted) return;
      const grant = await persist(
        () => calls.create(wish),
        signal,
        () => ports.givesUp(startMs),
      );
      if (signal.aborted) {
        // Given back before it came.
        if (grant) givingBack = calls.revokeNow(grant.lease.id);
        return;
      }
      if (grant) hold(grant);
      ready.resolve();
    } catch (error) {
      if (!signal.aborted) lose(toPlayerError(error));
    }
  }

  async function renew(): Promise<void> {
    if (lease === null) return;
    const { signal } = stretch;
    const { id } = lease;
    try {
      const grant = await persist(() => calls.renew(id, wish), signal);
      if (!signal.aborted) hold(grant);
    } catch (thrown) {
      if (signal.aborted) return;
      const error = toPlayerError(thrown);
      // The machine slept, or the server was away for long: the viewer did nothing wrong.
      if (isOver(error)) await keeper.replace(id);
      else lose(error);
    }
  }

  function take(): Promise<void> {
    if (lease !== null) return Promise.resolve();
    if (ready.isSettled && !taking) ready = createDeferred();
    const mine = taking ?? create();
    taking = mine;
    const forget = () => {
      if (taking === mine) taking = undefined;
    };
    mine.then(forget, forget);
    return mine;
  }

  function giveBack(revoke: (leaseId: string) => Promise<void>) {
    const id = lease?.id;
    end();
    if (id !== undefined) givingBack = revoke(id);
  }

  const keeper: LeaseKeeper = {
    get lease() {
      return lease;
    },
    take,
    async leaseId() {
      await ready.promise;
      return lease?.id;
    },
    async replace(leaseId) {
      if (lease?.id === leaseId) {
        end();
        await take();
      } else {
        await ready.promise;
      }
    },
    check: renew,
    stop() {
      stretch.abort(givenBack());
      clock.clearTimeout(timer);
    },
    async release() {
      const id = lease?.id;
      const pending = taking;
      end();
      ready.reject(givenBack());
      if (id !== undefined) await calls.revoke(id).catch(() => {});
      // One that is still to come is given back when it does.
      await pending?.catch(() => {});
      if (givingBack) await givingBack;
    },
    rest: () => giveBack((id) => calls.revoke(id).catch(() => {})),
    releaseNow() {
      if (taking && lease === null) calls.leave(wish);
      giveBack((id) => Promise.race([calls.revokeNow(id), sleep(clock, releaseTimeoutMs)]));
    },
  };
  return keeper;
}

const givenBack = () => new PlayerError('ABORTED', 'The lease was given back.');

/** Whether a lease has ended by time alone, so that another may be taken. A revoked one may not. */
export function isOver({ code }: PlayerError): boolean {
  return code === 'LEASE_EXPIRED' || code === 'LEASE_UNKNOWN';
}
