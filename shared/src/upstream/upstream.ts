import { isIP } from 'node:net';
import { Pool } from 'undici';
import type { Clock } from '../clock/index.ts';
import { everyMs } from '../lifecycle/index.ts';

/** How soon a replica that was added or removed is noticed. */
const defaultResolveEveryMs = 2_000;
/** An address that refused or broke a connection is left alone for so long, unless there is no other. */
const penaltyMs = 1_000;
/** One that is about to end, for so long: over most of the 5 s that a process serves on by default. */
const endingMs = 4_000;
/** A neighbour is near; one that does not take a connection by then is not there. */
const connectTimeoutMs = 1_000;
/** For the head of an answer. Above the 4 s of a statement, below the patience of players. */
const headersTimeoutMs = 8_000;
/** The event stream beats every 15 s; whatever is silent for longer is broken. */
const bodyTimeoutMs = 40_000;
/** Shorter than the 72 s of the neighbour's server, so that no request meets a connection that is just being closed. */
const keepAliveMs = 30_000;

/** One address of a neighbour. */
export interface Member {
  /** Such as `http://10.0.0.7:4101`. */
  readonly origin: string;
  readonly pool: Pool;
  /** It took no connection, or broke it: the others first, for a while. */
  penalize(): void;
  /** It says that it is about to end: a request that changes something must not meet its last moment. */
  retire(): void;
}

/** A neighbour at one or several addresses. */
export interface Upstream {
  /** The next address in turn; null where none is known. */
  pick(): Member | null;
  /** How many addresses are known. */
  size(): number;
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
  /** Connections to each address at a time. */
  connections: number;
  onFault: (error: unknown) => void;
}

interface Target {
  text: string;
  url: URL;
}

interface KnownMember extends Member {
  penaltyUntilMs: number;
  endingUntilMs: number;
}

/** Keeps a pool of connections to every address of a neighbour, and takes turns among them. */
export function createUpstream(options: UpstreamOptions): Upstream {
  const { clock, onFault } = options;
  const targets = options.urls.map((text): Target => ({ text, url: new URL(text) }));
  /** Those that need no looking up, and so are known from the start. */
  const written = new Map(
    targets.flatMap(({ text, url }): [string, string[]][] => {
      const address = url.hostname.replace(/^\[|\]$/g, '');
      return isIP(address) ? [[text, [address]]] : [];
    }),
  );
  const addresses = new Map(written);
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
    members = [...found].map(([origin, name]) => known.get(origin) ?? openMember(origin, name, options));
    for (const { pool } of gone) pool.close().catch(onFault);
  }

  async function lookUp({ text, url }: Target): Promise<void> {
    try {
      const found = await options.lookup(url.hostname);
      // Nothing found is no news: the last known addresses may still be right.
      if (found.length > 0) addresses.set(text, found);
    } catch (error) {
      onFault(error);
    }
  }

  async function resolve(): Promise<void> {
    await Promise.all(targets.filter(({ text }) => !written.has(text)).map(lookUp));
    renew();
  }

  function nextThat(suits: (member: KnownMember) => boolean): Member | null {
    for (let tried = 0; tried < members.length; tried++) {
      const member = members[turn++ % members.length];
      if (member && suits(member)) return member;
    }
    return null;
  }

  renew();
  const first = resolve().catch(onFault);
  const job = everyMs(options.resolveEveryMs ?? defaultResolveEveryMs, resolve, onFault);

  return {
    pick() {
      const nowMs = clock.monotonic();
      const answers = ({ penaltyUntilMs }: KnownMember) => penaltyUntilMs <= nowMs;
      const stays = (member: KnownMember) => answers(member) && member.endingUntilMs <= nowMs;
      return nextThat(stays) ?? nextThat(answers) ?? nextThat(() => true);
    },
    size: () => members.length,
    async close() {
      await first;
      await job.stop();
      await Promise.all(members.map(({ pool }) => pool.destroy()));
    },
  };
}

function openMember(origin: string, serverName: string, options: UpstreamOptions): KnownMember {
  const pool = new Pool(origin, {
    connections: options.connections,
    pipelining: 1,
    headersTimeout: headersTimeoutMs,
    bodyTimeout: bodyTimeoutMs,
    keepAliveTimeout: keepAliveMs,
    keepAliveMaxTimeout: keepAliveMs,
    connect: { timeout: connectTimeoutMs, servername: serverName },
  });
  const member: KnownMember = {
    origin,
    pool,
    penaltyUntilMs: 0,
    endingUntilMs: 0,
    penalize() {
      member.penaltyUntilMs = options.clock.monotonic() + penaltyMs;
    },
    retire() {
      member.endingUntilMs = options.clock.monotonic() + endingMs;
    },
  };
  return member;
}

function originOf(url: URL, address: string): string {
  const host = isIP(address) === 6 ? `[${address}]` : address;
  return `${url.protocol}//${host}${url.port ? `:${url.port}` : ''}`;
}
