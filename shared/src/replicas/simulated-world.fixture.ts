import type { KnownState } from '../authority/index.ts';
import type { LeaseState } from '../contracts/index.ts';
import { authorityLimitMs, listedForMs } from '../events/index.ts';
import type { FeedStamp } from './recent-changes.ts';
import {
  actCount,
  type Committed,
  type Item,
  items,
  SimulatedOwner,
  versionOf,
} from './simulated-owner.fixture.ts';
import { SimulatedReplica } from './simulated-replica.fixture.ts';
import { SimulatedStates } from './simulated-states.fixture.ts';
import type { Tally } from './simulation-tally.fixture.ts';

/** Around the limit, far below and far above it. */
const jumpsMs = [1, 1, 10, 400, 1_000, 1_000, 2_500, 4_000, 4_999, 5_000, 5_001, 20_000];
const steps = 28;
/** Where entries are shared there are more steps, and only a lease that has not ended is shared. */
const sharedSteps = 40;
/** Where answers wait, there is time for a confirmation, and for one who cannot pull. */
const waitingSteps = 90;
/** How long a renewed lease lives: some end during an interleaving, and some outlast every difference of the clocks. */
const renewalsMs = [3_000, 30_000, 90_000];
/** How far the wall clocks of the replicas differ from the lease service's. */
const clockErrorsMs = [0, 0, -30_000, 30_000];

/** Random numbers that a seed repeats (mulberry32). */
function createRandom(seed: number): (below: number) => number {
  let state = seed | 0;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

export interface World {
  /** Whether the replicas share leases and marks. */
  shares?: boolean;
  /** Whether standbys take over that have not received the last acts. */
  losesActs?: boolean;
  /** Whether answers wait until every replica has applied the change. */
  waits?: boolean;
}

/** One random interleaving of every step of two replicas and their database. */
export class Interleaving {
  readonly #random: (below: number) => number;
  readonly #tally: Tally;
  readonly #trace: string[] | null;
  readonly #owner = new SimulatedOwner();
  readonly #replicas: readonly [SimulatedReplica, SimulatedReplica];
  readonly #unanswered: { origin: number; committed: Committed }[] = [];
  readonly #states: SimulatedStates | null;
  /** Renewals that have begun, with the place in the feed that their process knew then. */
  readonly #renewals: { lease: number; before: FeedStamp | null }[] = [];
  /** For each replica, how far its wall clock is ahead. */
  readonly #clockErrors: readonly [number, number];
  readonly #losesActs: boolean;
  readonly #waits: boolean;
  #nowMs = 0;

  constructor(seed: number, tally: Tally, trace: string[] | null, { shares, losesActs, waits }: World) {
    this.#losesActs = losesActs ?? false;
    this.#waits = waits ?? false;
    this.#random = createRandom(seed);
    this.#tally = tally;
    this.#trace = trace;
    this.#clockErrors = [this.#pick(clockErrorsMs), this.#pick(clockErrorsMs)];
    this.#states = shares ? new SimulatedStates(this.#random) : null;
    const create = (name: string, errorMs: number) => {
      const clock = { now: () => this.#nowMs + errorMs, monotonic: () => this.#nowMs };
      return new SimulatedReplica(name, this.#owner, clock, this.#states);
    };
    this.#replicas = [create('0', this.#clockErrors[0]), create('1', this.#clockErrors[1])];
  }

  /** @throws Error with the guarantee that was broken */
  run(): void {
    for (const replica of this.#replicas) {
      // Most runs begin as replicas usually are: following the feed, with some cached states.
      if (this.#random(16) > 0) for (let step = 0; step < 4; step++) replica.stepPull();
      for (let count = this.#random(6); count > 0; count--) {
        replica.beginLoad(this.#random(items.length));
        while (replica.loads.length > 0) replica.stepLoad(0, false);
        this.#states?.step();
      }
    }
    const count = this.#waits ? waitingSteps : this.#states ? sharedSteps : steps;
    for (let step = 0; step < count; step++) {
      this.#step();
      if (this.#waits) this.#stepWaits();
    }
    for (const { gaps, believed, disbelieved } of this.#replicas) {
      this.#tally.gaps += gaps;
      this.#tally.believed += believed;
      this.#tally.disbelieved += disbelieved;
    }
  }

  #step(): void {
    const which = this.#random(2);
    const replica = this.#replicas[which] as SimulatedReplica;
    if (this.#states && this.#random(4) === 0) {
      this.#states.step();
      return;
    }
    if (this.#losesActs && this.#random(30) === 0) this.#failOver();
    const dice = this.#random(100);
    this.#trace?.push(`${this.#nowMs} ms, replica ${which}, ${dice}`);
    if (dice < 14) this.#commit(which);
    else if (dice < 26) this.#answer();
    else if (dice < 36) this.#deliver(which);
    else if (dice < 58) replica.stepPull();
    else if (dice < 60) replica.failPull();
    else if (dice < 68) this.#ask(replica, this.#pickItem());
    else if (dice < 84) this.#stepLoad(replica);
    else if (dice < 94) this.#nowMs += this.#pick(jumpsMs);
    else if (dice < 96) this.#owner.purge(1 + this.#random(3));
    else if (dice < 98) this.#renew(replica);
    else {
      // The process sleeps, and messages to it are lost meanwhile.
      replica.inbox.length = 0;
      this.#nowMs += 60_000;
    }
    // The effect of a step on the other replica is checked a step or two later.
    this.#check(which);
    if (dice < 26 || dice >= 84) this.#check(1 - which);
  }

  #stepWaits(): void {
    for (const { waiting } of this.#replicas) {
      const { open } = waiting;
      if (this.#random(2) === 0) open.note(this.#owner.roster.list());
      if (this.#random(2) === 0) this.#owner.roster.suspect(open.expire(this.#nowMs), this.#nowMs);
    }
    const dice = this.#random(40);
    if (dice < 4) this.#owner.roster.sweep(this.#nowMs);
    // Half a minute without a pull, while states can still be read.
    else if (dice === 4) this.#nowMs += listedForMs / 2;
  }

  #deliver(which: number): void {
    const replica = this.#replicas[which] as SimulatedReplica;
    replica.deliver(this.#random(replica.inbox.length || 1), this.#random(5) === 0, (confirmation) => {
      if (this.#random(3) > 0) this.#replicas[1 - which]?.inbox.push(confirmation);
    });
  }

  /** After the answer of a wait, no replica may serve from a state from before it. */
  #wait(which: number): void {
    const beganAtMs = this.#nowMs;
    const versions = this.#owner.presentVersions();
    const awaited = this.#replicas[which]?.waiting.begin(() => {
      this.#trace?.push(`  applied everywhere, as replica ${which} asked at ${beganAtMs} ms`);
      this.#tally.waited++;
      if (this.#nowMs - beganAtMs < authorityLimitMs) this.#tally.waitedShortly++;
      for (const { answered } of this.#replicas) {
        for (const [item, version] of versions.entries()) {
          if (!this.#owner.isLostVersion(item, version))
            answered[item] = Math.max(answered[item] ?? 0, version);
        }
      }
    });
    if (awaited && this.#random(3) > 0) this.#replicas[1 - which]?.inbox.push({ awaited });
  }

  #failOver(): void {
    const lost = 1 + this.#random(3);
    // It takes longer than this: two rows with one number never have the same time.
    this.#nowMs++;
    this.#owner.failOver(lost, this.#nowMs);
    this.#nowMs++;
    this.#tally.failovers++;
    this.#trace?.push(`  failover that lost up to ${lost} acts`);
    // An acknowledged act that was lost has no effect any more.
    for (const { answered } of this.#replicas) {
      for (const [item, version] of answered.entries()) {
        if (this.#owner.isLostVersion(item, version)) answered[item] = 0;
      }
    }
  }

  #commit(origin: number): void {
    const committed = this.#owner.commit(this.#random(actCount), this.#nowMs);
    this.#trace?.push(`  committed ${JSON.stringify(committed)}`);
    this.#unanswered.push({ origin, committed });
  }

  #answer(): void {
    const [answered] = this.#unanswered.splice(this.#random(this.#unanswered.length || 1), 1);
    if (!answered) return;
    this.#trace?.push(`  replica ${answered.origin} answers ${answered.committed.number}`);
    this.#replicas[answered.origin]?.answer(answered.committed);
    const isLost = this.#random(3) === 0;
    if (!isLost) this.#replicas[1 - answered.origin]?.inbox.push(answered.committed);
    this.#shareRevoked(answered.committed);
    if (this.#waits) this.#wait(answered.origin);
  }

  /** The lease service shares the lease that was revoked, which is true at the number of its own change. */
  #shareRevoked({ number, at, change, versions }: Committed): void {
    const lease = items.findIndex(({ key }) => change.kind === 'leases' && key === change.leaseId);
    const version = versions.find(([item]) => item === lease)?.[1];
    if (version === undefined) return;
    const value = this.#owner.leaseOf(lease, version);
    this.#states?.set('lease', items[lease]?.key ?? '', value, { number, at });
  }

  /** A state is requested. A key request first looks at the cached state. */
  #ask(replica: SimulatedReplica, item: number): void {
    const isLease = items[item]?.source === 'leases';
    if (isLease) replica.ask(item);
    if (!isLease || this.#random(3) > 0) replica.beginLoad(item);
  }

  #stepLoad(replica: SimulatedReplica): void {
    // With a shared cache a load takes more steps, some of which follow each other at once.
    for (let count = this.#states ? this.#random(3) : 0; count > 0; count--) {
      if (!replica.isLoaded(0)) replica.stepLoad(0, false);
    }
    const refused = replica.stepLoad(this.#random(replica.loads.length || 1), this.#random(12) === 0);
    if (refused) this.#tally.refusedLoads++;
  }

  /** A renewal begins, or one that has begun is committed, announced and shared. */
  #renew(replica: SimulatedReplica): void {
    const renewal = this.#states ? this.#renewals.pop() : { lease: this.#random(3), before: null };
    if (!renewal) {
      this.#renewals.push({ lease: this.#random(3), before: replica.recent.stamp() });
      return;
    }
    const { lease, before } = renewal;
    this.#owner.renew(lease, this.#nowMs, this.#pick(renewalsMs));
    if (before) this.#states?.set('lease', `l${lease}`, this.#owner.read(lease), before);
    for (const { inbox } of this.#replicas) {
      if (this.#random(2) === 0) this.#tally.lostPushes++;
      else inbox.push({ renewed: `l${lease}` });
    }
  }

  #pick<T>(list: readonly T[]): T {
    return list[this.#random(list.length)] as T;
  }

  /** Half of the time the state that an act has just changed, because errors are most likely there. */
  #pickItem(): number {
    const recent = this.#random(2) === 0 ? this.#unanswered.at(-1)?.committed.versions : undefined;
    return recent?.[this.#random(recent.length)]?.[0] ?? this.#random(items.length);
  }

  /** Every answer that a replica would give now must be allowed. */
  #check(which: number): void {
    const { caches, shown } = this.#replicas[which] as SimulatedReplica;
    for (let item = 0; item < items.length; item++) {
      const { source, key } = items[item] as Item;
      const known = (caches[item] as (typeof caches)[number]).peek(key);
      if (!known) continue;
      const version = versionOf(source, known.value);
      this.#tally.given++;
      if (this.#nowMs - known.heldAtMs > authorityLimitMs) this.#tally.givenOnTheFeedsWord++;
      const broken =
        this.#brokenByAge(which, item, version) ??
        (source === 'leases' ? this.#brokenByExpiry(which, item, known as KnownState<LeaseState>) : null);
      if (broken)
        throw new Error(
          `${broken}: ${source} ${key}, version ${version}, replica ${which}, ${this.#nowMs} ms`,
        );
      shown[item] = version;
    }
  }

  /** @returns why this version must not be served, or null */
  #brokenByAge(which: number, item: number, version: number): string | null {
    const { answered, shown } = this.#replicas[which] as SimulatedReplica;
    const endedAt = this.#owner.endedAt[item]?.[version];
    if (endedAt !== undefined && this.#nowMs - endedAt > authorityLimitMs)
      return `served from a state that ended at ${endedAt} ms`;
    if (version < (answered[item] ?? 0)) return 'served from a state whose end was acknowledged';
    const before = shown[item] ?? 0;
    return version < before && !this.#owner.isLostVersion(item, before) ? 'older after being newer' : null;
  }

  /** @returns what is wrong with the assumed life of the lease, or null */
  #brokenByExpiry(which: number, lease: number, known: KnownState<LeaseState>): string | null {
    const lifeEnd = this.#owner.leaseExpiresAt[lease] ?? 0;
    if (known.value && known.value.expiresAt > lifeEnd) return 'lives longer than the lease itself';
    const now = this.#nowMs + (this.#clockErrors[which] ?? 0);
    const refused = this.#replicas[which]?.refusesAsExpired(lease, known, now);
    if (!refused) return null;
    this.#tally.refusedAsExpired++;
    return refused.livesUntil > now ? 'refused as expired, though renewed before it was asked for' : null;
  }
}
