import { setTimeout as pause } from 'node:timers/promises';
import { type Players, type Question, type Reply, signViewerToken } from './players.ts';

/** Asking at once, each after the other with a pause: some 150 requests a second. */
const crew = 8;
const pauseMs = 50;

export interface SteadyLoad {
  /** Ends it when what is under way has been answered. */
  stop(): Promise<{ answered: number; failures: string[] }>;
}

/** Keys by token and by lease, leases made and renewed, contents registered: all of it has to be answered with success. */
export async function startSteadyLoad(players: Players, admin: string, secret: string): Promise<SteadyLoad> {
  const film = 'steady-film';
  await demand(players, 201, registration(admin, film));
  const failures: string[] = [];
  let answered = 0;
  let over = false;
  const keys = new Set<string>();

  async function play(index: number): Promise<void> {
    const as = signViewerToken(secret, `player-${index}`);
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
        const { json } = await demand(players, expected, question(turn));
        answered++;
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
      return { answered, failures };
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

/** @throws Error where the answer has another status */
export async function demand(players: Players, expected: number, question: Question): Promise<Reply> {
  const { method = 'GET', path } = question;
  const reply = await players.ask(question).catch((error: Error) => {
    throw new Error(`${method} ${path}: ${error.message}`);
  });
  if (reply.status === expected) return reply;
  throw new Error(`${method} ${path}: ${reply.status} ${JSON.stringify(reply.json)}`);
}
