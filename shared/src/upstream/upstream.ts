import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { everyMs } from '../lifecycle/index.ts';
import { toUrlHost } from '../net/index.ts';
import { describeServiceTls, type ServiceTls } from '../tls/index.ts';
import { Address } from './address.ts';
import { WaitingLine } from './waiting-line.ts';

/** How soon an added or removed replica is noticed. */
const defaultResolveEveryMs = 2_000;

/** Another service at one or several addresses. */
export type Upstream = ReturnType<typeof createUpstream>;

export interface UpstreamOptions {
  /** Base URLs. A name that resolves to several addresses means all of them. */
  urls: readonly string[];
  /** All addresses of a host name. */
  lookup: (hostname: string) => Promise<string[]>;
  /** How soon an added or removed address is noticed; default 2 s. */
  resolveEveryMs?: number;
  /** Requests at each address at a time, each on a connection of its own. */
  connections: number;
  /** For URLs with TLS. Optional. Default: the machine's CAs verify them. */
  tls?: ServiceTls;
  /** Called with the reason each time that a name cannot be looked up. */
  onFault: (error: unknown) => void;
}

/** Without files for TLS, a service is verified by the CAs that the machine knows. */
const byMachine = describeServiceTls('the service', null);

/** Keeps a pool of connections to every address of another service, and takes turns among them. */
export function createUpstream(options: UpstreamOptions) {
  const { connections, onFault, tls = byMachine } = options;
  const book = createAddressBook(options);
  const line = new WaitingLine();
  let addresses: Address[] = [];
  let turn = 0;

  /** Opens addresses that were found, and closes addresses that are gone. */
  function renew(): void {
    const found = book.origins();
    const gone = addresses.filter(({ origin }) => !found.has(origin));
    const known = new Map(addresses.map((address) => [address.origin, address]));
    addresses = [...found].map(
      ([origin, serverName]) =>
        known.get(origin) ?? new Address({ origin, serverName, connections, tls, onChange: admit }),
    );
    for (const address of gone) address.close().catch(onFault);
    admit();
  }

  const resolve = () => book.lookUp().then(renew);

  function next(isRotationOnly: boolean, except?: ReadonlySet<Address>): Address | null {
    let best: Address | null = null;
    let bestRank = 4;
    const count = addresses.length;
    for (let step = 0; step < count && bestRank > 0; step++) {
      const index = (turn + step) % count;
      const address = addresses[index] as Address;
      if (except?.has(address) || (isRotationOnly ? !address.isInRotation : address.isLost)) continue;
      const rank = (address.isInRotation ? 0 : 2) + (address.hasRoom() ? 0 : 1);
      if (rank >= bestRank) continue;
      best = address;
      bestRank = rank;
    }
    if (best) turn = addresses.indexOf(best) + 1;
    return best;
  }

  /** Sends waiting requests wherever there is room now. If every address is lost, all of them stop waiting. */
  function admit(): void {
    while (line.size > 0) {
      const address = next(false);
      if (address && !address.hasRoom()) return;
      const waiter = line.take();
      if (address) waiter?.admit(address);
      else waiter?.refuse();
    }
  }

  renew();
  const first = resolve().catch(onFault);
  const job = everyMs(options.resolveEveryMs ?? defaultResolveEveryMs, resolve, onFault);

  return {
    /**
     * The next address in turn: one in the rotation, else one that failed and is not lost; among equal ones, one that has room. Null if
     * all are lost: a request there could only wait without success.
     *
     * @param except addresses that are left out
     */
    pick: (except?: ReadonlySet<Address>) => next(false, except),
    /** Same, but null if no address is in the rotation. */
    pickInRotation: (except?: ReadonlySet<Address>) => next(true, except),
    /** Whether every address is lost. */
    isLost: () => addresses.every(({ isLost }) => isLost),
    /** Why every address is lost, as far as it is known. */
    whyLost(): Error {
      const [fault] = addresses.flatMap(({ tlsFault }) => tlsFault ?? []);
      return fault ?? new Error(addresses.length > 0 ? 'no address is alive' : 'no address is known');
    },
    /** Every known address, for calls to each of them. */
    all: (): readonly Address[] => addresses,
    /** Number of known addresses. */
    size: () => addresses.length,
    /** Requests for which no address has room. */
    line,
    async close(): Promise<void> {
      await first;
      await job.stop();
      await Promise.all(addresses.map((address) => address.destroy()));
    },
  };
}

function originOf(url: URL, address: string): string {
  return `${url.protocol}//${toUrlHost(address)}${url.port ? `:${url.port}` : ''}`;
}

/** The addresses of each target: written ones at once, and for names the addresses that were last found. */
function createAddressBook({ urls, lookup, onFault }: UpstreamOptions) {
  const targets = urls.map((text) => ({ text, url: new URL(text) }));
  /** Addresses that need no look-up, and so are known from the start. */
  const written = new Map(
    targets.flatMap(({ text, url }): [string, string[]][] => {
      const address = url.hostname.replace(/^\[|\]$/g, '');
      return isIP(address) ? [[text, [address]]] : [];
    }),
  );
  const addresses = new Map(written);

  async function lookUpOne({ text, url }: (typeof targets)[number]): Promise<void> {
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

/** Every address that the system knows for a host name, from `/etc/hosts` and from DNS. */
export async function systemLookup(hostname: string): Promise<string[]> {
  return (await lookup(hostname, { all: true })).map(({ address }) => address);
}
