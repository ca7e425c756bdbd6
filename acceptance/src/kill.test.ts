import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { type AcknowledgedAct, writers } from './acknowledged-acts.ts';
import { type ApiDocument, readApiDocument } from './api-document.ts';
import { type Client, createClient } from './client.ts';
import { complete } from './own-process.ts';
import { makeFolder, startProcess } from './server-process.ts';
import { readStoredRows } from './stored-rows.ts';
import { makeApiKey } from './target.ts';

const rounds = 50;
/** Two of each kind of writer. */
const writersOfAKind = 2;
/** The process is killed after so many answers, and then at some moment within this time. */
const answersAtMost = 40;
const delayMsAtMost = 30;
/** Where answers stay away, the round ends all the same. */
const roundTimeoutMs = 10_000;

const seed = Number(process.env.KILL_SEED ?? randomInt(2 ** 31));
const admin = makeApiKey();
const jwtSecret = Buffer.from(complete.AUTH_JWT_SECRET);

/** Marsaglia's xorshift32: the moments of the kills come again with the same seed. */
function createRandom(state: number): (below: number) => number {
  let x = state | 1;
  return (below) => {
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    return (x >>> 0) % below;
  };
}

/** Writes from all sides until the server is killed under them. Returns what was acknowledged. */
async function writeUntilKilled(
  client: Client,
  contentId: string,
  { answers, delayMs, kill }: { answers: number; delayMs: number; kill: () => void },
): Promise<AcknowledgedAct[]> {
  const acts: AcknowledgedAct[] = [];
  let killed = false;
  const end = () => {
    if (killed) return;
    killed = true;
    kill();
  };
  const timer = setTimeout(end, roundTimeoutMs);
  const options = {
    client,
    admin,
    jwtSecret,
    contentId,
    acknowledge(act: AcknowledgedAct) {
      acts.push(act);
      if (acts.length === answers) void sleep(delayMs).then(end);
    },
  };
  const run = async (write: (typeof writers)[number]) => {
    while (!killed) {
      try {
        await write(options);
      } catch (error) {
        // A connection that breaks is what this is about; an answer that is wrong is not.
        if (!isConnectionError(error)) throw error;
        if (!killed) await sleep(5);
      }
    }
  };
  const crew = Array.from({ length: writersOfAKind }, () => writers).flat();
  const results = await Promise.allSettled(crew.map(run));
  clearTimeout(timer);
  for (const result of results) if (result.status === 'rejected') throw result.reason;
  return acts;
}

function isConnectionError(error: unknown): boolean {
  const { code = '' } = error as { code?: string };
  return /^(ECONN|EPIPE|UND_ERR_SOCKET|UND_ERR_ABORTED|UND_ERR_CLOSED)/.test(code);
}

/** Everything acknowledged is there, with its audit; what was taken away is not given out. */
async function verify(client: Client, file: string, acts: readonly AcknowledgedAct[]): Promise<void> {
  const stored = readStoredRows(file);
  try {
    expect(stored.findInconsistencies()).toEqual([]);
    for (const { requestId, row } of acts) {
      expect([requestId, stored.auditsOf(requestId)]).toEqual([requestId, 1]);
      if (row) expect([row, stored.has(row.table, row.id)]).toEqual([row, true]);
    }
  } finally {
    stored.close();
  }
  for (const { requestId, refusals } of acts) {
    for (const { expected, ask } of refusals)
      expect([requestId, (await ask(client)).code]).toEqual([requestId, expected]);
  }
}

it(`what was acknowledged survives kill -9, in ${rounds} rounds (KILL_SEED=${seed})`, async () => {
  const folder = makeFolder();
  const file = join(folder.path, 'latchkey.db');
  const random = createRandom(seed);
  const all: AcknowledgedAct[] = [];
  let last: AcknowledgedAct[] = [];
  let api: ApiDocument | null = null;
  let contentId = '';
  let server: ReturnType<typeof startProcess> | null = null;
  onTestFinished(async () => {
    server?.kill('SIGKILL');
    await server?.ended();
    folder.remove();
  });
  const start = async () => {
    server = startProcess(folder.path, { ...complete, SQLITE_PATH: file, ADMIN_API_KEY: admin });
    const url = await server.listens();
    api ??= await readApiDocument(url);
    return { server, client: createClient(url, api) };
  };

  for (let round = 0; round < rounds; round++) {
    const { server: running, client } = await start();
    await verify(client, file, last);
    if (round === 0) contentId = (await client.post('/api/v1/content', admin, { name: 'x' })).json.content.id;
    last = await writeUntilKilled(client, contentId, {
      answers: 1 + random(answersAtMost),
      delayMs: random(delayMsAtMost),
      kill: () => running.kill('SIGKILL'),
    });
    await running.ended();
    all.push(...last);
  }
  expect(all.length).toBeGreaterThan(rounds);
  // Once more, all of it: what later rounds did has changed nothing of what earlier ones were told.
  const { client } = await start();
  await verify(client, file, all);
}, 900_000); // Fifty starts of a second each, on a machine that may be busy.
