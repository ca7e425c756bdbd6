import { isIP } from 'node:net';
import { Pool } from 'undici';
import type { Clock } from '../clock/index.ts';
import { everyMs } from '../lifecycle/index.ts';

/** How soon a replica that was added or removed is noticed. */
const resolveEveryMs = 2_000;
/** An address that refused a connection is left alone for so long, unless there is no other. */
const penaltyMs = 1_000;
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
  /** It took no connection: the others first, for a while. */
  penalize(): void;
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
  /** Connections to each address at a time. */
  connections: number;
  onFault: (error: unknown) => void;
}

interface KnownMember extends Member {
  penaltyUntilMs: number;
}

/** Keeps a pool of connections to every address of a neighbour, and takes turns among them. */
export function createUpstream(options: UpstreamOptions): Upstream {
  const { urls, clock, onFault } = options;
  let members: KnownMember[] = [];
  let turn = 0;

  function open(origin: string, serverName: string): KnownMember {
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
      penalize() {
        member.penaltyUntilMs = clock.monotonic() + penaltyMs;
      },
    };
    return member;
  }

  async function resolve(): Promise<void> {
    const found = new Map<string, string>();
    for (const { url, addresses } of await Promise.all(urls.map((text) => addressesOf(text, options)))) {
      for (const address of addresses) found.set(originOf(url, address), url.hostname);
    }
    // Nothing found is no news: the last known addresses may still be right.
    if (found.size === 0) return;
    const gone = members.filter(({ origin }) => !found.has(origin));
    const known = new Map(members.map((member) => [member.origin, member]));
    members = [...found].map(([origin, name]) => known.get(origin) ?? open(origin, name));
    for (const { pool } of gone) pool.close().catch(onFault);
  }

  const first = resolve().catch(onFault);
  const job = everyMs(resolveEveryMs, resolve, onFault);

  return {
    pick() {
      const nowMs = clock.monotonic();
      for (let tried = 0; tried < members.length; tried++) {
        const member = members[turn++ % members.length];
        if (member && member.penaltyUntilMs <= nowMs) return member;
      }
      return members[turn++ % members.length] ?? null;
    },
    size: () => members.length,
    async close() {
      await first;
      await job.stop();
      await Promise.all(members.map(({ pool }) => pool.destroy()));
    },
  };
}

async function addressesOf(
  text: string,
  { lookup, onFault }: UpstreamOptions,
): Promise<{ url: URL; addresses: string[] }> {
  const url = new URL(text);
  const name = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(name)) return { url, addresses: [name] };
  try {
    return { url, addresses: await lookup(name) };
  } catch (error) {
    onFault(error);
    return { url, addresses: [] };
  }
}

function originOf(url: URL, address: string): string {
  const host = isIP(address) === 6 ? `[${address}]` : address;
  return `${url.protocol}//${host}${url.port ? `:${url.port}` : ''}`;
}
