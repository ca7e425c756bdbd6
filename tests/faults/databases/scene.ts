import { setTimeout as sleep } from 'node:timers/promises';
import type { LatchkeyProcess } from '@latchkey/support/processes/latchkey-process';
import { runSql } from '@latchkey/support/stores/run-sql';
import { viewerToken } from '@latchkey/support/tokens';
import type { Checks } from '../checks.ts';
import { createManagement, demand, type Management } from '../client/management.ts';
import { type Answer, ask, type Question } from '../client/send-request.ts';
import { adminKey, internalSecret, tokenSecret } from '../stack/secrets.ts';
import { directReplicas, type Stack } from '../stack/stack.ts';

/** `docs/reference/contract.md#age-of-a-state`: the age after which an unconfirmed state is unknown. */
export const limitMs = 5_000;
/** For an answer that was decided before the limit and arrives after it. */
const slackMs = 500;
const settleTimeoutMs = 30_000;

/** The parts that the trial of a database uses: a stack, its management API, and requests to every replica. */
export interface DatabaseScene {
  stack: Stack;
  checks: Checks;
  management: Management;
  /** The key request of a viewer whose token is a minute old. */
  questionOf(contentId: string, viewerId: string, leaseId?: string): Question;
  /** The answers of all replicas, each called directly. */
  everywhere(question: Question): Promise<Answer[]>;
  /** Asks every replica until all answer as expected. Returns how many milliseconds it took; null after 30 s. */
  until(question: Question, expected: string): Promise<number | null>;
  /** Runs statements on the server that the services use now. Returns the rows of the last one. */
  sql(...statements: string[]): Promise<Record<string, unknown>[]>;
  /** Changes a setting of new sessions, and ends the sessions that exist. */
  setForSessions(setting: string): Promise<void>;
  /** Connects every service to the server on this port from now on. */
  leadTo(port: number): void;
}

export function openDatabaseScene(stack: Stack, checks: Checks): DatabaseScene {
  const replicas = directReplicas(stack);
  let url = stack.databaseUrl;
  const everywhere = (question: Question) => Promise.all(replicas.map((one) => ask(one.url, question)));
  const scene: DatabaseScene = {
    stack,
    checks,
    management: createManagement(() => (stack.gateways[0] as LatchkeyProcess).url, adminKey),
    questionOf: (contentId, viewerId, leaseId) => ({
      path: `/keys/${contentId}`,
      headers: {
        'x-latchkey-secret': internalSecret,
        authorization: `Bearer ${viewerToken(tokenSecret, viewerId)}`,
        ...(leaseId === undefined ? {} : { 'x-lease-id': leaseId }),
      },
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
    sql: (...statements) => runSql(url, ...statements),
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

/** The error code of each answer, or its status. */
export const said = (answers: readonly Answer[]) => answers.map(({ status, code }) => String(code || status));

/** A viewer whom every replica serves a key. @returns its key request */
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

/** Asks for some time. @returns whether a key came later than the limit, counted from the call */
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
