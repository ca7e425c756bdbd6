import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePort } from '@latchkey/support/find-free-port';
import { createLatchkeyProcess, type LatchkeyProcess } from '@latchkey/support/processes/latchkey-process';
import type { Environment } from '@latchkey/support/processes/spawn-entry';
import { type OwnPrometheus, startPrometheus } from '@latchkey/support/prometheus/own-prometheus';
import { readRuleFiles } from '@latchkey/support/prometheus/rules';
import { shortenRules } from '@latchkey/support/prometheus/shorten-rules';
import { makeProfileSecrets } from '@latchkey/support/stack/distributed-profile';
import { singleNodeEntry } from '@latchkey/support/stack/topology';
import { postgresUid, startOwnPostgres } from '@latchkey/support/stores/own-stores';
import { type CertificateFiles, makeCertificateAuthority } from '@latchkey/support/tls/make-certificates';
import { type Issuer, startIssuer } from '../rotations/issuer.ts';
import { keyMaterial } from '../stack/secrets.ts';
import type { TriedFault } from './try-fault.ts';
import { waitCalm } from './watch-alerts.ts';

/**
 * Single nodes without viewers: one on SQLite with a small disk and the key set of an identity provider, one on Postgres with TLS. And the
 * Prometheus that scrapes them.
 */
export interface SingleNodes {
  prometheus: OwnPrometheus;
  faults: readonly TriedFault[];
  stop(): Promise<void>;
}

/** Room for the database, and little to fill. */
const diskMib = 64;
/** More than nine tenths of it. */
const fillerMib = 60;
/** `LatchkeyCertificateExpires` fires below 14 days. */
const daysLeft = 5;
/** Longer than the time between two scrapes, so that each start is seen. */
const livesMs = 700;
/** `LatchkeyTokenKeysStale` fires above 30 minutes. Nobody waits for them: the clock of the process jumps. */
const staleMs = 31 * 60_000;
const jumpClock = new URL(import.meta.resolve('@latchkey/support/jump-clock'));
jumpClock.searchParams.set('by', String(staleMs));
/** As in lane.ts. */
const intervalMs = 500;

/**
 * @param program Prometheus
 * @throws Error where this user may not mount a disk in memory
 */
export async function startSingleNodes(program: string): Promise<SingleNodes> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-nodes-'));
  const disk = mountDisk(folder);
  const authority = makeCertificateAuthority('the CA', postgresUid());
  const server = authority.issue('server');
  const postgres = await startOwnPostgres({
    ssl: 'on',
    ssl_cert_file: server.cert,
    ssl_key_file: server.key,
  });
  const own = placeCertificate(folder, authority.issue('lasting'));
  const issuer = await startIssuer();
  const nodes = [
    await createNode(
      'on-sqlite',
      folder,
      { SQLITE_PATH: join(disk.path, 'latchkey.db'), AUTH_JWKS_URL: issuer.url },
      [`--import=${jumpClock}`],
    ),
    await createNode('on-postgres', folder, {
      DATABASE_URL: postgres.url,
      DATABASE_CA_FILE: authority.ca,
      DATABASE_CERT_FILE: own.cert,
      DATABASE_KEY_FILE: own.key,
    }),
  ];
  let prometheus: OwnPrometheus | null = null;
  const stop = async () => {
    await prometheus?.stop();
    await Promise.all(nodes.map(({ process }) => process.end('SIGKILL')));
    await postgres.stop();
    await issuer.close();
    disk.unmount();
    authority.remove();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    for (const { process } of nodes) process.start();
    const waitWhole = async () => void (await Promise.all(nodes.map(({ process }) => process.waitWhole())));
    await waitWhole();
    prometheus = await startPrometheus({
      program,
      targets: nodes.map(({ process, metricsPort }) => ({ name: process.name, port: metricsPort })),
      rules: shortenRules(readRuleFiles()),
      intervalMs,
    });
    await waitCalm(prometheus);
    const processes = nodes.map(({ process }) => process);
    const renew = (days: number) => own.put(authority.issue(`of-${days}-days`, { days }));
    const parts = { nodes: processes, disk: disk.path, renew, issuer };
    const faults = describeFaults(parts).map((fault) => ({ ...fault, waitWhole }));
    return { prometheus, faults, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

interface Parts {
  /** The first is the one on SQLite. */
  nodes: readonly LatchkeyProcess[];
  /** The folder of the small disk. */
  disk: string;
  /** Puts a certificate of so many days into the place of the present one. */
  renew(days: number): void;
  issuer: Pick<Issuer, 'setAway'>;
}

function describeFaults({ nodes, disk, renew, issuer }: Parts): Omit<TriedFault, 'waitWhole'>[] {
  const filler = join(disk, 'filler');
  let flapping = false;
  let restarts = Promise.resolve();
  return [
    {
      name: 'the disk of SQLite nearly full',
      seconds: 0,
      begin: () => writeFileSync(filler, Buffer.alloc(fillerMib * 1024 * 1024)),
      end: () => rmSync(filler),
    },
    {
      name: `a certificate with ${daysLeft} days left`,
      seconds: 0,
      begin: () => renew(daysLeft),
      end: () => renew(20),
    },
    {
      name: 'the identity provider away for 31 minutes',
      seconds: 0,
      begin() {
        issuer.setAway(true);
        nodes[0]?.signal('SIGUSR2');
      },
      end: () => issuer.setAway(false),
    },
    {
      name: 'a process that ends again and again',
      seconds: 0,
      begin() {
        flapping = true;
        restarts = restartWhile(nodes[0], () => flapping);
      },
      async end() {
        flapping = false;
        await restarts;
      },
    },
    {
      name: 'every process killed',
      seconds: 0,
      begin: async () => void (await Promise.all(nodes.map((node) => node.end('SIGKILL')))),
      end: () => {
        for (const node of nodes) node.start();
      },
    },
  ];
}

async function restartWhile(node: LatchkeyProcess | undefined, isWanted: () => boolean): Promise<void> {
  while (isWanted()) {
    await node?.end('SIGKILL');
    node?.start();
    await node?.waitHealthy();
    await sleep(livesMs);
  }
}

async function createNode(name: string, folder: string, env: Environment, flags: readonly string[] = []) {
  const metricsPort = await findFreePort();
  const { INTERNAL_SECRET: _, ...secrets } = makeProfileSecrets();
  const process = createLatchkeyProcess({
    name,
    entry: singleNodeEntry,
    flags,
    port: await findFreePort(),
    folder,
    env: { ...secrets, ...keyMaterial, ...env, HOME: folder, METRICS_PORT: String(metricsPort) },
    output: { logFile: join(folder, `${name}.log`) },
  });
  return { process, metricsPort };
}

/** A disk in memory, so that a nearly full one harms nobody. */
function mountDisk(folder: string): { path: string; unmount(): void } {
  const path = join(folder, 'disk');
  mkdirSync(path);
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${diskMib}m`, 'tmpfs', path], { stdio: 'pipe' });
  return { path, unmount: () => void execFileSync('umount', ['--lazy', path], { stdio: 'pipe' }) };
}

/** A certificate and its key at a fixed place, where another one can take their place. */
function placeCertificate(folder: string, first: CertificateFiles) {
  const place = { cert: join(folder, 'own.pem'), key: join(folder, 'own.key') };
  const put = ({ cert, key }: CertificateFiles) => {
    copyFileSync(cert, place.cert);
    copyFileSync(key, place.key);
  };
  put(first);
  return { ...place, put };
}

/** The names of the faults, without starting anything. */
export const singleNodeFaults: readonly string[] = describeFaults({
  nodes: [],
  disk: '',
  renew: () => {},
  issuer: { setAway: () => {} },
}).map(({ name }) => name);
