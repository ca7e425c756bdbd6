import { type Clock, sleep } from './clock.ts';
import { createDeferred, type Deferred } from './deferred.ts';
import type { Lease, LeaseGrant } from './lease.ts';
import type { LeaseCalls, LeaseWish } from './lease-calls.ts';
import type { PageReleases } from './page-releases.ts';
import { PlayerError, toPlayerError } from './player-error.ts';
import { type RetryOptions, retry } from './retry.ts';

/** Renewed up to a tenth sooner than the server says, so that viewers who began together do not renew together. */
const renewalJitter = 0.1;
/** Between attempts while the server is down. A renewal has a quarter of the lease's life to succeed. */
const backOff = { firstDelayMs: 1_000, maxDelayMs: 10_000 };
/** A page that returns waits no longer for the release that it sent when it was left. */
const releaseTimeoutMs = 2_000;

export interface LeaseKeeperPorts {
  readonly calls: LeaseCalls;
  readonly wish: LeaseWish;
  readonly clock: Clock;
  readonly random: () => number;
  readonly releases: PageReleases;
  readonly maxRetryAfterMs: number;
  /** Whether the viewer has waited long enough for a first lease. */
  readonly givesUp: (sinceMs: number) => boolean;
  /** For playback sessions: the URL of a new one. It is a secret, so no event carries it. */
  readonly onUrl?: ((url: string) => void) | undefined;
  readonly onChange: (lease: Lease | null) => void;
  readonly onRetry: NonNullable<RetryOptions['onRetry']>;
  /** The lease is lost, or was refused. */
  readonly onLost: (error: PlayerError) => void;
}

/** Holds one lease while the viewer watches. */
export interface LeaseKeeper {
  readonly lease: Lease | null;
  /** Takes a lease, unless there is one. @throws PlayerError, which `onLost` gets too */
  take(): Promise<void>;
  /** Waits for the lease. @returns its id; undefined if the server has no leases. @throws PlayerError if it is refused */
  leaseId(): Promise<string | undefined>;
  /** Takes a new lease in place of one that is no longer active. Does nothing if that is done already. */
  replace(leaseId: string): Promise<void>;
  /** Renews at once. A new lease replaces an expired one. */
  check(): Promise<void>;
  /** Stops renewing. The lease can still be released. */
  stop(): void;
  /** Releases the lease. Never fails: with an unreachable server it expires. */
  release(): Promise<void>;
  /** The same while no one watches. `take()` starts again. */
  rest(): void;
  /** The same for a page that is being left. `take()` starts again if it returns. */
  releaseNow(): void;
}

export function createLeaseKeeper(ports: LeaseKeeperPorts): LeaseKeeper {
  const { calls, wish, clock, releases } = ports;
  const own: Holding = { lease: null, stretch: new AbortController(), ready: createDeferred() };

  function hold({ lease, url, renew_after_seconds }: LeaseGrant) {
    own.lease = lease;
    if (url !== undefined) ports.onUrl?.(url);
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
    if (id !== undefined) own.givingBack = releases.add(revoke(id));
  }

  async function release() {
    const { taking } = own;
    const id = own.lease?.id;
    end(ports, own);
    own.ready.reject(givenBack());
    if (id !== undefined) await calls.revoke(id).catch(() => {});
    // A lease that is still on its way is released when it arrives.
    await taking?.catch(() => {});
    await own.givingBack;
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
    release: () => releases.add(release()),
    rest: () => giveBack((id) => calls.revoke(id).catch(() => {})),
    releaseNow() {
      if (own.taking && !own.lease) calls.leave(wish);
      giveBack((id) => Promise.race([calls.revokeNow(id), sleep(clock, releaseTimeoutMs)]));
    },
  };
}

interface Holding {
  lease: Lease | null;
  /** Aborted at the end of a lease. Answers that arrive later are ignored. */
  stretch: AbortController;
  /** Settles once there is a lease, or it is refused. */
  ready: Deferred<void>;
  taking?: Promise<void> | undefined;
  /** Of the next renewal. */
  timer?: unknown;
  /** The release for a page that was left or a video that was paused. Both may be back before it has arrived. */
  givingBack?: Promise<void> | undefined;
}

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
  const { calls, wish, releases } = ports;
  const { signal } = own.stretch;
  const startMs = ports.clock.now();
  try {
    // A framework may begin the next player before it destroys the previous one, in the same turn.
    await Promise.resolve();
    // The release of this lease waits for its arrival, so it must not be waited for.
    if (signal.aborted) return;
    await releases.over();
    if (signal.aborted) return;
    const givesUp = () => ports.givesUp(startMs);
    const grant = await retry(() => calls.create(wish), { ...ports, ...backOff, signal, givesUp });
    if (signal.aborted) {
      // Released before it arrived.
      if (grant) own.givingBack = releases.add(calls.revokeNow(grant.lease.id));
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
    // The machine slept, or the server was down for long. The viewer did nothing wrong.
    if (isOver(error)) await replace(id);
    else lose(ports, own, error);
  }
}

const givenBack = () => new PlayerError('ABORTED', 'The lease was given back.');

/** Whether a lease has ended by time alone, so that another may be taken. A revoked one may not. */
export function isOver({ code }: PlayerError): boolean {
  return code === 'LEASE_EXPIRED' || code === 'LEASE_UNKNOWN';
}
