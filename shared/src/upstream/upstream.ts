import { isIP } from 'node:net';
import type { Clock } from '../clock/index.ts';
import { everyMs } from '../lifecycle/index.ts';
import { type KnownMember, type Member, openMember, standing } from './member.ts';
import { createRetryBudget, type RetryBudget } from './retry-budget.ts';

/** How soon a replica that was added or removed is noticed. */
const defaultResolveEveryMs = 2_000;
/** How soon an address that gave no answer is asked for a sign of life, again and again. */
const defaultProbeEveryMs = 500;

/** A neighbour at one or several addresses. */
export interface Upstream {
  /**
   * The next address in turn, of those that least speaks against; null where none is known.
   *
   * @param except those that are left out
   */
  pick(except?: ReadonlySet<Member>): Member | null;
  /** The next one that nothing speaks against; null where there is none. */
  pickWell(except?: ReadonlySet<Member>): Member | null;
  /** Every known address, for what is asked of each of them. */
  all(): readonly Member[];
  /** How many addresses are known. */
  size(): number;
  budget: RetryBudget;
  close(): Promise<void>;
}

export interface UpstreamOptions {
  /** Base URLs. A name that resolves to several addresses stands for all of them. */
  urls: readonly string[];
  /** All addresses of a host name. */
  lookup: (hostname: string) => Promise<string[]>;
  clock: Clock;
  /** How soon an added or removed address is noticed; 2 s where it is left out. */
  resolveEveryMs?: number;
  /** How soon an address that gave no answer is tried again; 0.5 s where it is left out. */
  probeEveryMs?: number;
  /** Connections to each address at a time. */
  connections: number;
  /** Hears why a name cannot be looked up: once, until it can be or the reason is another one. */
  onFault: (error: unknown) => void;
}

interface Target {
  text: string;
  url: URL;
}

/** Keeps a pool of connections to every address of a neighbour, and takes turns among them. */
export function createUpstream(options: UpstreamOptions): Upstream {
  const { clock, connections, onFault } = options;
  const targets = options.urls.map((text): Target => ({ text, url: new URL(text) }));
  /** Those that need no looking up, and so are known from the start. */
  const written = new Map(
    targets.flatMap(({ text, url }): [string, string[]][] => {
      const address = url.hostname.replace(/^\[|\]$/g, '');
      return isIP(address) ? [[text, [address]]] : [];
    }),
  );
  const addresses = new Map(written);
  const faults = new Map<string, string>();
  let members: KnownMember[] = [];
  let turn = 0;

  /** Opens what was found, and closes what is no longer there. */
  function renew(): void {
    const found = new Map<string, string>();
    for (const { text, url } of targets) {
      for (const address of addresses.get(text) ?? []) found.set(originOf(url, address), url.hostname);
    }
    const gone = members.filter(({ origin }) => !found.has(origin));
    const known = new Map(members.map((member) => [member.origin, member]));
    members = [...found].map(
      ([origin, serverName]) => known.get(origin) ?? openMember({ origin, serverName, connections, clock }),
    );
    for (const member of gone) member.close().catch(onFault);
  }

  async function lookUp({ text, url }: Target): Promise<void> {
    try {
      const found = await options.lookup(url.hostname);
      // Nothing found is no news: the last known addresses may still be right.
      if (found.length > 0) addresses.set(text, found);
      faults.delete(text);
    } catch (error) {
      if (faults.get(text) !== String(error)) onFault(error);
      faults.set(text, String(error));
    }
  }

  async function resolve(): Promise<void> {
    await Promise.all(targets.filter(({ text }) => !written.has(text)).map(lookUp));
    renew();
  }

  /** The next in turn of those that least speaks against, and no more than `worst`. */
  function next(worst: number, except?: ReadonlySet<Member>): Member | null {
    let best: KnownMember | undefined;
    let bestStanding = worst + 1;
    for (let step = 0; step < members.length && bestStanding > standing.well; step++) {
      const member = members[(turn + step) % members.length];
      const its = member?.standing() ?? bestStanding;
      if (its >= bestStanding || (member && except?.has(member))) continue;
      best = member;
      bestStanding = its;
    }
    if (!best) return null;
    turn = members.indexOf(best) + 1;
    best.taken();
    return best;
  }

  renew();
  const first = resolve().catch(onFault);
  const jobs = [
    everyMs(options.resolveEveryMs ?? defaultResolveEveryMs, resolve, onFault),
    everyMs(
      options.probeEveryMs ?? defaultProbeEveryMs,
      () =>
        Promise.all(
          members.filter((member) => member.standing() === standing.lost).map((member) => member.isAlive()),
        ),
      onFault,
    ),
  ];

  return {
    pick: (except) => next(standing.lost, except),
    pickWell: (except) => next(standing.well, except),
    all: () => members,
    size: () => members.length,
    budget: createRetryBudget(),
    async close() {
      await first;
      await Promise.all(jobs.map((job) => job.stop()));
      await Promise.all(members.map((member) => member.destroy()));
    },
  };
}

function originOf(url: URL, address: string): string {
  const host = isIP(address) === 6 ? `[${address}]` : address;
  return `${url.protocol}//${host}${url.port ? `:${url.port}` : ''}`;
}
