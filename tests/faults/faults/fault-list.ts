import type { LatchkeyProcess } from '@latchkey/support/processes/latchkey-process';
import type { Stack } from '../stack/stack.ts';
import { auditFaults } from './audit-faults.ts';
import { brokenSeconds, type Fault } from './fault.ts';

/** By then a restart is over. */
const restartSeconds = 1;
const slowMs = 1_000;

/** All faults, in the order in which they are tried. */
export const faults: readonly Fault[] = [
  ...backingFaults('postgres', 'Postgres', false),
  ...backingFaults('redis', 'Redis', true),
  ...backingFaults('nats', 'NATS', true),
  killed('the lease service', ({ servers }) => servers.leases),
  killed('the auth service', ({ servers }) => servers.auth),
  killed('the content service', ({ servers }) => servers.content),
  killed('one key-derivation replica of three', ({ servers }) => servers['key-derivation'].slice(0, 1)),
  { ...killed('the playback service', ({ servers }) => servers.playback), unseenInPlaylists: false },
  paused('the lease service', ({ servers }) => servers.leases, true),
  { ...paused('the playback service', ({ servers }) => servers.playback, true), unseenInPlaylists: false },
  // Requests to the paused replica wait until the gateway finds it unresponsive and uses another.
  paused('one key-derivation replica of three', ({ servers }) => servers['key-derivation'].slice(0, 1), true),
  cut('between key-derivation and leases', (name) => /^key-derivation-\d leases-/.test(name), true),
  cut('around one key-derivation replica', (name) => name.startsWith('key-derivation-1 '), true),
  {
    // The only one, so nobody else can confirm that a session still holds.
    ...cut('around the playback service', (name) => name.startsWith('playback-1 '), true),
    unseenInPlaylists: false,
  },
  ...auditFaults(),
];

/** @param unseen whether viewers notice nothing: Redis and NATS only make the server faster */
function backingFaults(key: keyof Stack['backings'], name: string, unseen: boolean): Fault[] {
  const slow = ({ links }: Stack, act: 'slow' | 'heal') => {
    for (const [link, proxy] of links) if (link.endsWith(` ${key}`)) proxy[act](slowMs);
  };
  return [
    {
      name: `${name} killed`,
      seconds: brokenSeconds,
      unseenByViewers: unseen,
      begin: ({ backings }) => backings[key].kill(),
      end: ({ backings }) => backings[key].start(),
    },
    {
      name: `${name} paused`,
      seconds: brokenSeconds,
      unseenByViewers: unseen,
      begin: ({ backings }) => backings[key].pause(),
      end: ({ backings }) => backings[key].resume(),
    },
    {
      name: `${name} restarted`,
      seconds: restartSeconds,
      unseenByViewers: true,
      async begin({ backings }) {
        await backings[key].shutDown();
        await backings[key].start();
      },
      end: () => {},
    },
    {
      name: `${name} slow by ${slowMs / 1_000} s`,
      seconds: brokenSeconds,
      unseenByViewers: unseen,
      begin: (stack) => slow(stack, 'slow'),
      end: (stack) => slow(stack, 'heal'),
    },
  ];
}

function killed(name: string, which: (stack: Stack) => LatchkeyProcess[]): Fault {
  return {
    name: `${name} killed`,
    seconds: brokenSeconds,
    unseenByViewers: true,
    begin: async (stack) => void (await Promise.all(which(stack).map((server) => server.end('SIGKILL')))),
    end: (stack) => {
      for (const server of which(stack)) server.start();
    },
  };
}

function paused(name: string, which: (stack: Stack) => LatchkeyProcess[], unseenByViewers: boolean): Fault {
  const signal = (stack: Stack, name: NodeJS.Signals) => {
    for (const server of which(stack)) server.signal(name);
  };
  return {
    name: `${name} paused`,
    seconds: brokenSeconds,
    unseenByViewers,
    begin: (stack) => signal(stack, 'SIGSTOP'),
    end: (stack) => signal(stack, 'SIGCONT'),
  };
}

function cut(where: string, concerns: (link: string) => boolean, unseenByViewers: boolean): Fault {
  const act = ({ links }: Stack, what: 'cut' | 'heal') => {
    for (const [name, proxy] of links) if (concerns(name)) proxy[what]();
  };
  return {
    name: `the network ${where} cut`,
    seconds: brokenSeconds,
    unseenByViewers,
    begin: (stack) => act(stack, 'cut'),
    end: (stack) => act(stack, 'heal'),
  };
}
