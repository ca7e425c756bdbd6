import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findApiDocument } from '@latchkey/support/black-box/api-document';
import { type Client, createClient } from '@latchkey/support/black-box/client';
import { complete } from '@latchkey/support/black-box/own-process';
import { makeFolder, startProcess } from '@latchkey/support/black-box/server-process';
import { makeApiKey } from '@latchkey/support/black-box/target';
import { createRandom } from '@latchkey/support/random';
import { expect, it, onTestFinished } from 'vitest';
import { type AcknowledgedAct, createOnce, type KeyedRequest, writers } from './acknowledged-acts.ts';
import { readStoredRows } from './stored-rows.ts';

/** A few in `npm test`; `KILL_ROUNDS=50` for the long form. */
const rounds = Number(process.env.KILL_ROUNDS ?? 12);
const writersOfAKind = 2;
/** The process is killed at a random moment: after up to this many answers, and then within this time. */
const answersAtMost = 40;
const delayMsAtMost = 30;
/** A round without answers ends after this time. */
const roundTimeoutMs = 10_000;

const seed = Number(process.env.KILL_SEED ?? randomInt(2 ** 31));
const admin = makeApiKey();
const jwtSecret = Buffer.from(complete.AUTH_JWT_SECRET);

/** The acts and requests that several writers have sent. */
interface Written {
  acts: AcknowledgedAct[];
  keyed: KeyedRequest[];
}

/** Several writers write until the server is killed. Returns the acknowledged acts, and all requests with an `Idempotency-Key`. */
async function writeUntilKilled(
  client: Client,
  contentId: string,
  { answers, delayMs, kill }: { answers: number; delayMs: number; kill: () => void },
): Promise<Written> {
  const acts: AcknowledgedAct[] = [];
  const keyed: KeyedRequest[] = [];
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
    begin: (request: KeyedRequest) => void keyed.push(request),
  };
  const run = async (write: (typeof writers)[number]) => {
    while (!killed) {
      try {
        await write(options);
      } catch (error) {
        // Broken connections are expected here. Wrong answers are not.
        if (!isConnectionError(error)) throw error;
        if (!killed) await sleep(5);
      }
    }
  };
  const crew = Array.from({ length: writersOfAKind }, () => writers).flat();
  const results = await Promise.allSettled(crew.map(run));
  clearTimeout(timer);
  for (const result of results) if (result.status === 'rejected') throw result.reason;
  return { acts, keyed };
}

function isConnectionError(error: unknown): boolean {
  const { code = '' } = error as { code?: string };
  return /^(ECONN|EPIPE|UND_ERR_SOCKET|UND_ERR_ABORTED|UND_ERR_CLOSED)/.test(code);
}

/**
 * Checks that every acknowledged act is stored with its audit row, and that what it forbids is refused. A request with an
 * `Idempotency-Key` is repeated: then its API key exists once, whether or not the first request was written.
 */
async function verify(client: Client, file: string, { acts, keyed }: Written): Promise<void> {
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
  for (const request of keyed) {
    const { status } = await createOnce(client, admin, request);
    const found = { as: admin, isOneOfMany: true };
    const { json } = await client.call('GET', `/api/v1/api-keys?q=${request.name}`, found);
    expect([request.name, status, json.total]).toEqual([request.name, 201, 1]);
  }
}

it(`acknowledged acts survive kill -9, in ${rounds} rounds (KILL_SEED=${seed})`, async () => {
  const folder = makeFolder();
  const file = join(folder.path, 'latchkey.db');
  const random = createRandom(seed);
  const all: AcknowledgedAct[] = [];
  let last: Written = { acts: [], keyed: [] };
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
    return { server, client: createClient(url, await findApiDocument(url, {})) };
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
    all.push(...last.acts);
  }
  expect(all.length).toBeGreaterThan(rounds);
  // All acts once more: later rounds must not have changed earlier ones.
  const { client } = await start();
  await verify(client, file, { acts: all, keyed: last.keyed });
}, 900_000); // Fifty starts of a second each in the long form, on a machine that may be busy.
