import { setTimeout as pause } from 'node:timers/promises';
import { viewerToken } from '@latchkey/support/tokens';
import type { Players, Question, Reply } from './players.ts';

/** Number of clients. Each sends one request after the other, with pauses: together some 150 a second. */
const crew = 8;
const pauseMs = 50;
/** How often a request is sent at most. After a 503 a client waits for its `Retry-After`, as players do. */
const tries = 5;

export interface SteadyLoad {
  /** Ends it after the answers to the running requests. */
  stop(): Promise<{ answered: number; answeredLater: number; failures: string[] }>;
}

/**
 * Requests keys by token and by lease, creates and renews leases, and registers contents. Each request must succeed, at
 * once or, after a 503 with `Retry-After`, when it is sent again. A process without processor time for seconds does not
 * know whether its cached states still hold, and answers 503.
 */
export async function startSteadyLoad(players: Players, admin: string, secret: string): Promise<SteadyLoad> {
  const film = 'steady-film';
  await demand(players, 201, registration(admin, film));
  const failures: string[] = [];
  let answered = 0;
  let answeredLater = 0;
  let over = false;
  const keys = new Set<string>();

  async function play(index: number): Promise<void> {
    const as = viewerToken(secret, `player-${index}`);
    const made = await demand(players, 201, newLease(as, film));
    const leaseId: string = made.json.lease.id;
    const questions: [number, (turn: number) => Question][] = [
      [200, () => ({ path: `/keys/${film}`, as })],
      [200, () => ({ path: `/keys/${film}`, as, leaseId })],
      [200, () => ({ method: 'POST', path: '/keys/leases/renew', as, json: { leaseId } })],
      [201, (turn) => newLease(as, film, `device-${turn}`)],
      [201, (turn) => registration(admin, `film-${index}-${turn}`)],
    ];
    for (let turn = 0; !over; turn++) {
      const [expected, question] = questions[turn % questions.length] as (typeof questions)[number];
      try {
        const { json, sent } = await demandPatiently(players, expected, question(turn));
        answered++;
        if (sent > 1) answeredLater++;
        if (typeof json === 'string') keys.add(json);
      } catch (error) {
        failures.push((error as Error).message);
      }
      await pause(pauseMs);
    }
  }

  const all = Promise.all(Array.from({ length: crew }, (_, index) => play(index)));
  return {
    async stop() {
      over = true;
      await all;
      if (keys.size !== 1) failures.push(`${keys.size} different keys of one content`);
      return { answered, answeredLater, failures };
    },
  };
}

export const registration = (as: string, id: string): Question => ({
  method: 'POST',
  path: '/api/v1/content',
  as,
  json: { id, name: id },
});

export const newLease = (as: string, contentId: string, deviceId = 'device'): Question => ({
  method: 'POST',
  path: '/keys/leases',
  as,
  json: { contentId, deviceId },
});

/** @throws Error if the answer has another status */
export async function demand(players: Players, expected: number, question: Question): Promise<Reply> {
  const reply = await askNamed(players, question);
  if (reply.status === expected) return reply;
  throw refused(question, reply);
}

/**
 * As `demand`, but repeats a request that is answered 503 with `Retry-After`. `sent` counts the attempts. What one attempt has created although
 * its answer was lost, the next one finds: 200 in place of 201.
 */
async function demandPatiently(
  players: Players,
  expected: number,
  question: Question,
): Promise<Reply & { sent: number }> {
  for (let sent = 1; ; sent++) {
    const reply = await askNamed(players, question);
    const isFound = sent > 1 && expected === 201 && reply.status === 200;
    if (reply.status === expected || isFound) return { ...reply, sent };
    if (reply.status !== 503 || reply.retryAfterSeconds === null || sent === tries)
      throw refused(question, reply);
    await pause(reply.retryAfterSeconds * 1_000);
  }
}

/** @throws Error that names the request, if it got no answer */
async function askNamed(players: Players, question: Question): Promise<Reply> {
  return await players.ask(question).catch((error: Error) => {
    throw new Error(`${nameOf(question)}: ${error.message}`);
  });
}

const nameOf = ({ method = 'GET', path }: Question): string => `${method} ${path}`;

const refused = (question: Question, { status, json }: Reply): Error =>
  new Error(`${nameOf(question)}: ${status} ${JSON.stringify(json)}`);
