import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { internalSecretHeader } from '@latchkey/shared/internal';
import { findFreePort } from '@latchkey/support/find-free-port';
import { repositoryFolder } from '@latchkey/support/repository';
import { signToken } from '@latchkey/support/tokens';
import { Pool } from 'undici';
import { createCleanup } from '../cleanup.ts';
import { readMemory } from '../proc/process-usage.ts';
import { becomesReady, tokenSecret } from '../servers.ts';
import { internalSecret } from '../stack/services.ts';
import { makeContainer } from './container.ts';
import { type StandIn, startStandIn } from './stand-in.ts';
import { contentId, leaseIdOf, viewerIdOf } from './viewers.ts';

export interface MemoryPlan {
  /** Viewers since the start. */
  viewers: number;
  /** How many viewers play at a time. The latest ones play, and each asks again and again. */
  atOnce: number;
  /** The limit of the container, MiB; 0 for no container. */
  containerMib: number;
}

export interface MemorySample {
  viewers: number;
  /** Memory that the process has written. The limit of a container counts this. */
  anonymousMib: number;
  /** With the pages of its program, which the processes of the machine share. */
  residentMib: number;
  /** The highest resident memory so far. */
  peakMib: number;
  /** Of the repeated requests of viewers, the share that was answered without reading the lease again. */
  warm: number;
}

const entry = fileURLToPath(new URL('../../../services/key-derivation/src/serve.ts', import.meta.url));
const askedAtOnce = 32;
/** The flags of Node with which compose.yaml and Kubernetes start key-derivation. */
export const replicaFlags = ['--max-semi-space-size=4', '--import=/app/shared/src/memory/favor-memory.ts'];
const samples = 10;
const startLimitMs = 60_000;
const kibPerMib = 1_024;
const triesAtMost = 30;
const retryAfterMs = 1_000;

/** Lets one replica of key-derivation serve many viewers, one after the other, and samples its memory. */
export async function measureMemory(plan: MemoryPlan, say: (line: string) => void): Promise<MemorySample[]> {
  const cleanup = createCleanup();
  try {
    const container = cleanup.add(makeContainer(plan.containerMib));
    const standIn = cleanup.add(await startStandIn());
    const port = await findFreePort();
    const url = `http://127.0.0.1:${port}`;
    const replica = start(container.command, standIn, port);
    cleanup.add({ stop: () => end(replica) });
    const pool = new Pool(url, { connections: askedAtOnce });
    cleanup.add({ stop: () => pool.destroy() });
    const found: MemorySample[] = [];
    await Promise.race([untilReady(url), failsEarly(replica)]);
    for (let sample = 0; sample < samples; sample++) {
      const from = Math.round((sample * plan.viewers) / samples);
      const to = Math.round(((sample + 1) * plan.viewers) / samples);
      const readsBefore = standIn.reads();
      const returned = await playAll(pool, from, to, plan.atOnce);
      const { anonymousKiB, residentKiB, peakKiB } = readMemory(replica.pid ?? 0);
      const again = standIn.reads() - readsBefore - (to - from);
      found.push({
        viewers: to,
        anonymousMib: anonymousKiB / kibPerMib,
        residentMib: residentKiB / kibPerMib,
        peakMib: peakKiB / kibPerMib,
        warm: 1 - Math.max(0, again) / Math.max(1, returned),
      });
      say(`${to} of ${plan.viewers} viewers: ${(residentKiB / kibPerMib).toFixed(0)} MiB`);
    }
    return found;
  } finally {
    await cleanup.run();
  }
}

async function end(replica: ChildProcess): Promise<void> {
  if (replica.exitCode !== null || replica.signalCode !== null) return;
  replica.kill('SIGTERM');
  await once(replica, 'exit');
}

function start(command: readonly string[], { url }: StandIn, port: number): ChildProcess {
  // The image has the repository in /app.
  const flags = replicaFlags.map((flag) => flag.replace('=/app/', `=${repositoryFolder}/`));
  const [program = '', ...args] = [...command, process.execPath, ...flags, entry];
  const replica = spawn(program, args, {
    // The open channel closes with this process, and the replica then ends too.
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    env: {
      ...process.env,
      NODE_ENV: 'test',
      LOG_LEVEL: 'error',
      HOST: '127.0.0.1',
      PORT: String(port),
      METRICS_PORT: '0',
      SHUTDOWN_DRAIN_SECONDS: '0',
      INTERNAL_SECRET: internalSecret,
      AUTH_JWT_SECRET: tokenSecret,
      MASTER_KEY_HEX: '1'.repeat(64),
      SALT_HEX: '2'.repeat(64),
      AUTH_SERVICE_URL: url,
      CONTENT_SERVICE_URL: url,
      LEASES_SERVICE_URL: url,
    },
  });
  replica.stdout?.resume();
  replica.channel?.unref();
  return replica;
}

async function untilReady(url: string): Promise<void> {
  const deadline = performance.now() + startLimitMs;
  for (;;) {
    try {
      return await becomesReady(url);
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await pause(100);
    }
  }
}

async function failsEarly(replica: ChildProcess): Promise<never> {
  const [code, signal] = await once(replica, 'exit');
  throw new Error(`key-derivation ended with ${code ?? signal}`);
}

/**
 * Each new viewer asks for a key. After each of them, one of the playing viewers asks again.
 *
 * @returns how many requests were repeated ones
 */
async function playAll(pool: Pool, from: number, to: number, atOnce: number): Promise<number> {
  let next = from;
  let returned = 0;
  async function play(): Promise<void> {
    while (next < to) {
      const viewer = next++;
      await ask(pool, viewer);
      // Multiples of the golden ratio spread the repeats evenly over the playing viewers, the same in each run.
      const back = Math.floor(((viewer * 0.618_033_988_75) % 1) * Math.min(viewer, atOnce));
      if (viewer - back > askedAtOnce && back > askedAtOnce) {
        await ask(pool, viewer - back);
        returned++;
      }
    }
  }
  await Promise.all(Array.from({ length: askedAtOnce }, play));
  return returned;
}

async function ask(pool: Pool, viewer: number): Promise<void> {
  // A player sends the same token each time, so all tokens of an hour have the same times.
  const iat = Math.floor(Date.now() / 3_600_000) * 3_600 - 1;
  const claims = { sub: viewerIdOf(viewer), iat, exp: iat + 86_000, content_ids: [contentId] };
  const token = signToken(Buffer.from(tokenSecret), claims);
  const headers = {
    authorization: `Bearer ${token}`,
    'x-lease-id': leaseIdOf(viewer),
    [internalSecretHeader]: internalSecret,
  };
  for (let tries = 1; ; tries++) {
    const { statusCode, body } = await pool.request({ method: 'GET', path: `/keys/${contentId}/0`, headers });
    await body.dump();
    if (statusCode === 200) return;
    // Players also repeat after a 503. The stand-in shares this machine and may be slow.
    if (statusCode !== 503 || tries === triesAtMost) throw new Error(`viewer ${viewer} got ${statusCode}`);
    await pause(retryAfterMs);
  }
}
