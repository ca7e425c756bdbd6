import { setTimeout as sleep } from 'node:timers/promises';
import type { LatchkeyProcess } from '@latchkey/rig/processes/latchkey-process';
import { viewerToken } from '@latchkey/rig/tokens';
import pg from 'pg';
import type { Checks } from '../checks.ts';
import { type Answer, ask, type Question } from '../client/ask.ts';
import { createManagement, demand, type Management } from '../client/management.ts';
import { adminKey, internalSecret, tokenSecret } from '../stack/secrets.ts';
import type { Stack } from '../stack/stack.ts';

/** `docs/contract.md#age-of-a-state`: the age after which an unconfirmed state is unknown. */
export const limitMs = 5_000;
/** Beyond the limit, for an answer that was on its way. */
const slackMs = 500;
const settleTimeoutMs = 30_000;

/** What a database is tried with: a stack, its management, and viewers at every replica. */
export interface DatabaseScene {
  stack: Stack;
  checks: Checks;
  management: Management;
  /** A question of a viewer whose token is a minute old. */
  questionOf(contentId: string, viewerId: string, leaseId?: string): Question;
  /** The viewer asks for a lease itself, through the gateway. */
  createAsViewer(contentId: string, viewerId: string): Promise<Answer>;
  /** The answers of all replicas, asked themselves. */
  everywhere(question: Question): Promise<Answer[]>;
  /** Asks every replica until all answer as expected; null after 30 s, else the milliseconds that it took. */
  until(question: Question, expected: string): Promise<number | null>;
  /** Runs statements on the server that the services use now. */
  sql(...statements: string[]): Promise<Record<string, unknown>[]>;
  /** Sets what each new session gets, and ends those that there are. */
  setForSessions(setting: string): Promise<void>;
  /** Every service reaches another server from now on. */
  leadTo(port: number): void;
}

export function openDatabaseScene(stack: Stack, checks: Checks): DatabaseScene {
  const replicas = stack.servers['key-derivation'];
  let url = stack.databaseUrl;
  const everywhere = (question: Question) => Promise.all(replicas.map((one) => ask(one.url, question)));
  const scene: DatabaseScene = {
    stack,
    checks,
    management: createManagement(() => (stack.gateways[0] as LatchkeyProcess).url, adminKey),
    questionOf: (contentId, viewerId, leaseId) => ({
      path: `/keys/${contentId}`,
      headers: {
        // Replicas are asked themselves, as the gateway asks them.
        'x-latchkey-secret': internalSecret,
        authorization: `Bearer ${viewerToken(tokenSecret, viewerId)}`,
        ...(leaseId === undefined ? {} : { 'x-lease-id': leaseId }),
      },
    }),
    createAsViewer: (contentId, viewerId) =>
      ask((stack.gateways[0] as LatchkeyProcess).url, {
        method: 'POST',
        path: '/keys/leases',
        headers: { authorization: `Bearer ${viewerToken(tokenSecret, viewerId)}` },
        json: { contentId },
      }),
    everywhere,
    async until(question, expected) {
      const startMs = performance.now();
      while (performance.now() - startMs < settleTimeoutMs) {
        if (said(await everywhere(question)).every((one) => one === expected))
          return performance.now() - startMs;
        await sleep(20);
      }
      return null;
    },
    async sql(...statements) {
      const client = new pg.Client(url);
      await client.connect();
      try {
        let rows: Record<string, unknown>[] = [];
        for (const statement of statements) rows = (await client.query(statement)).rows;
        return rows;
      } finally {
        await client.end();
      }
    },
    async setForSessions(setting) {
      await scene.sql(
        'set default_transaction_read_only = off',
        `alter database postgres ${setting}`,
        "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'latchkey'",
      );
    },
    leadTo(port) {
      url = `postgres://postgres@127.0.0.1:${port}/postgres`;
      for (const [name, proxy] of stack.links) if (name.endsWith(' postgres')) proxy.leadTo(port);
    },
  };
  return scene;
}

/** What was answered: the code where there is one, else the status. */
export const said = (answers: readonly Answer[]) => answers.map(({ status, code }) => String(code || status));

/** A viewer with a key at every replica. @returns its question */
export async function makePlayer(
  scene: DatabaseScene,
  contentId: string,
  viewerId: string,
): Promise<Question> {
  await demand(scene.management.registerContent(contentId));
  const { lease } = await demand(scene.management.createLease(viewerId, contentId));
  const question = scene.questionOf(contentId, viewerId, lease.id);
  if ((await scene.until(question, '200')) === null) throw new Error(`${viewerId} got no key to begin with`);
  return question;
}

/** Asks for some time. @returns whether a key came after the limit, counted from now */
export async function servesBeyondLimit(
  scene: DatabaseScene,
  question: Question,
  forMs: number,
): Promise<boolean> {
  const startMs = performance.now();
  let late = false;
  while (performance.now() - startMs < forMs) {
    const answers = await scene.everywhere(question);
    const isLate = performance.now() - startMs > limitMs + slackMs;
    late ||= isLate && answers.some(({ status }) => status === 200);
    await sleep(50);
  }
  return late;
}

export async function readyOf(server: LatchkeyProcess): Promise<{ status: number; database: string }> {
  const answer = await fetch(`${server.url}/ready`);
  const { dependencies } = (await answer.json()) as { dependencies: Record<string, { status: string }> };
  return { status: answer.status, database: dependencies.database?.status ?? '' };
}
