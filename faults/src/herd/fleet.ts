import { Agent, request } from 'node:http';
import type { Question } from '../client/ask.ts';

/** What one viewer of the fleet got. Times are `performance.now()`. */
export interface FleetAnswer {
  /** 0: the viewer gave up, or its connection broke. */
  status: number;
  retryAfter: string | null;
  sentAtMs: number;
  doneAtMs: number;
}

/** Thousands of viewers, each on a connection that it keeps, who go on asking whatever they are answered. */
export interface Fleet {
  /** In the order in which they ended. */
  answers: FleetAnswer[];
  /** How many wait for an answer. */
  waiting(): number;
  stop(): void;
}

/** As long as hls.js waits for the first byte of a key (`keyLoadPolicy`); then it breaks the connection off. */
const patienceMs = 8_000;
const tickMs = 10;

/**
 * @param questions one for each viewer
 * @param perSecond requests of all viewers together. A viewer who still waits is passed over
 */
export function startFleet(origin: string, questions: readonly Question[], perSecond: number): Fleet {
  const answers: FleetAnswer[] = [];
  const viewers = questions.map((question) => ({
    question,
    agent: new Agent({ keepAlive: true, maxSockets: 1 }),
    waits: false,
  }));
  const startedAtMs = performance.now();
  let [turn, sent, waiting] = [0, 0, 0];

  function send(viewer: (typeof viewers)[number]): void {
    const sentAtMs = performance.now();
    let ended = false;
    const end = (status: number, retryAfter: string | null) => {
      if (ended) return;
      ended = true;
      clearTimeout(timer);
      viewer.waits = false;
      waiting--;
      answers.push({ status, retryAfter, sentAtMs, doneAtMs: performance.now() });
    };
    viewer.waits = true;
    waiting++;
    const { path, headers } = viewer.question;
    const asked = request(`${origin}${path}`, { agent: viewer.agent, headers: { ...headers } }, (answer) => {
      answer.resume();
      answer.once('end', () => end(answer.statusCode ?? 0, answer.headers['retry-after'] ?? null));
      answer.once('close', () => end(0, null));
    });
    const timer = setTimeout(() => asked.destroy(), patienceMs);
    asked.once('error', () => end(0, null));
    asked.end();
  }

  const timer = setInterval(() => {
    const due = Math.floor(((performance.now() - startedAtMs) * perSecond) / 1_000);
    for (; sent < due; sent++) {
      const viewer = viewers[turn++ % viewers.length];
      if (viewer && !viewer.waits) send(viewer);
    }
  }, tickMs);

  return {
    answers,
    waiting: () => waiting,
    stop() {
      clearInterval(timer);
      for (const { agent } of viewers) agent.destroy();
    },
  };
}
