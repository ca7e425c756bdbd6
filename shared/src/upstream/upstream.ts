import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { Clock } from '../clock/clock.ts';
import { everyMs } from '../lifecycle/index.ts';
import { toUrlHost } from '../net/index.ts';
import { describeServiceTls, type ServiceTls } from '../tls/index.ts';
import { healthRank, type KnownMember, type Member, openMember } from './member.ts';
import { createRetryBudget, type RetryBudget, WaitingLine } from './waiting-line.ts';

/** How soon an added or removed replica is noticed. */
const defaultResolveEveryMs = 2_000;
/** Interval of the probes of an address that gave no answer. */
const defaultProbeEveryMs = 500;

/** Another service at one or several addresses. */
export interface Upstream {
  /**
   * The next address in turn, of those with the best health rank; null where no address is known.
   *
   * @param except addresses that are left out
   */
  pick(except?: ReadonlySet<Member>): Member | null;
  /** Same as `pick`, but null where every address is known to be gone: a request there could only wait without success. */
  pickAlive(except?: ReadonlySet<Member>): Member | null;
  /** The next healthy one; null if no address is healthy. */
  pickHealthy(except?: ReadonlySet<Member>): Member | null;
  /** Whether some address is not known to be gone. */
  hasAlive(): boolean;
  /** Why no address is alive, as far as it is known. */
  whyLost(): Error;
  /** Every known address, for calls to each of them. */
  all(): readonly Member[];
  /** Number of known addresses. */
  size(): number;
  /** Requests for which no address has room. */
  line: WaitingLine;
  budget: RetryBudget;
  close(): Promise<void>;
}

export interface UpstreamOptions {
  /** Base URLs. A name that resolves to several addresses means all of them. */
  urls: readonly string[];
  /** All addresses of a host name. */
  lookup: (hostname: string) => Promise<string[]>;
  clock: Clock;
  /** How soon an added or removed address is noticed; default 2 s. */
  resolveEveryMs?: number;
  /** How soon an address that gave no answer is tried again; default 0.5 s. */
  probeEveryMs?: number;
  /** Requests at each address at a time, each on a connection of its own. */
  connections: number;
  /** For URLs with TLS. Left out: the machine's CAs verify them. */
  tls?: ServiceTls;
  /** Called with the reason each time that a name cannot be looked up. */
  onFault: (error: unknown) => void;
}

interface Target {
  text: string;
  url: URL;
}

/** Without files for TLS, a service is verified by the CAs that the machine knows. */
const byMachine = describeServiceTls('the service', null);

/** Keeps a pool of connections to every address of another service, and takes turns among them. */
export function createUpstream(options: UpstreamOptions): Upstream {
  const { clock, connections, onFault, tls = byMachine } = options;
  const book = createAddressBook(options);
  const line = new WaitingLine(clock);
  let members: KnownMember[] = [];
  let turn = 0;

  /** Opens addresses that were found, and closes those that are gone. */
  function renew(): void {
    const found = book.origins();
    const gone = members.filter(({ origin }) => !found.has(origin));
    const known = new Map(members.map((member) => [member.origin, member]));
    members = [...found].map(
      ([origin, serverName]) =>
        known.get(origin) ?? openMember({ origin, serverName, connections, clock, tls, onChange: admit }),
    );
    for (const member of gone) member.close().catch(onFault);
    admit();
  }

  const resolve = () => book.lookUp().then(renew);

  /** The next in turn of those with the best health, and no worse than `worst`; among equal ones, one that has room. */
  function next(worst: number, except?: ReadonlySet<Member>): Member | null {
    const best = bestFrom(members, turn, worst, except);
    if (!best) return null;
    turn = members.indexOf(best) + 1;
    best.noteRequest();
    return best;
  }

  /** Sends waiting requests wherever there is room now. Where no address is alive, all of them stop waiting. */
  function admit(): void {
    while (line.size > 0) {
      const member = next(healthRank.silent);
      if (member && !member.hasRoom()) return;
      const waiter = line.take();
      if (member) waiter?.admit(member);
      else waiter?.refuse();
    }
  }

  renew();
  const first = resolve().catch(onFault);
  const jobs = [
    everyMs(options.resolveEveryMs ?? defaultResolveEveryMs, resolve, onFault),
    everyMs(options.probeEveryMs ?? defaultProbeEveryMs, () => probeLost(members), onFault),
  ];

  return {
    pick: (except) => next(healthRank.gone, except),
    pickAlive: (except) => next(healthRank.silent, except),
    pickHealthy: (except) => next(healthRank.healthy, except),
    hasAlive: () => members.some((member) => member.healthRank() < healthRank.gone),
    whyLost: () => whyLost(members),
    all: () => members,
    size: () => members.length,
    line,
    budget: createRetryBudget(),
    async close() {
      await first;
      await Promise.all(jobs.map((job) => job.stop()));
      await Promise.all(members.map((member) => member.destroy()));
    },
  };
}

function whyLost(members: readonly KnownMember[]): Error {
  const [fault] = members.flatMap((member) => member.tlsFault() ?? []);
  return fault ?? new Error(members.length > 0 ? 'no address is alive' : 'no address is known');
}

/** Checks whether lost members have come back. Not awaited: a silent one must not delay the others. */
async function probeLost(members: readonly KnownMember[]): Promise<void> {
  for (const member of members) if (member.needsProbe()) void member.isAlive();
}

function originOf(url: URL, address: string): string {
  return `${url.protocol}//${toUrlHost(address)}${url.port ? `:${url.port}` : ''}`;
}

/** The addresses of each target: written ones at once, those of names as they were last found. */
function createAddressBook({ urls, lookup, onFault }: UpstreamOptions) {
  const targets = urls.map((text): Target => ({ text, url: new URL(text) }));
  /** Addresses that need no look-up, and so are known from the start. */
  const written = new Map(
    targets.flatMap(({ text, url }): [string, string[]][] => {
      const address = url.hostname.replace(/^\[|\]$/g, '');
      return isIP(address) ? [[text, [address]]] : [];
    }),
  );
  const addresses = new Map(written);

  async function lookUpOne({ text, url }: Target): Promise<void> {
    try {
      const found = await lookup(url.hostname);
      // An empty result is ignored: the last known addresses may still be right.
      if (found.length > 0) addresses.set(text, found);
    } catch (error) {
      onFault(error);
    }
  }

  return {
    /** The host name to be named in TLS, by origin. */
    origins(): Map<string, string> {
      const found = new Map<string, string>();
      for (const { text, url } of targets) {
        for (const address of addresses.get(text) ?? []) found.set(originOf(url, address), url.hostname);
      }
      return found;
    },
    async lookUp(): Promise<void> {
      await Promise.all(targets.filter(({ text }) => !written.has(text)).map(lookUpOne));
    },
  };
}

/** The first from `turn` on with the best health, and no worse than `worst`; of equal ones, one that has room. */
function bestFrom(
  members: readonly KnownMember[],
  turn: number,
  worst: number,
  except?: ReadonlySet<Member>,
): KnownMember | undefined {
  let best: KnownMember | undefined;
  let bestRank = 2 * worst + 2;
  for (let step = 0; step < members.length && bestRank > 0; step++) {
    const member = members[(turn + step) % members.length] as KnownMember;
    const rank = 2 * member.healthRank() + (member.hasRoom() ? 0 : 1);
    if (rank >= bestRank || except?.has(member)) continue;
    best = member;
    bestRank = rank;
  }
  return best;
}

/** Every address that the system knows for a host name, from `/etc/hosts` and from DNS. */
export async function systemLookup(hostname: string): Promise<string[]> {
  return (await lookup(hostname, { all: true })).map(({ address }) => address);
}
