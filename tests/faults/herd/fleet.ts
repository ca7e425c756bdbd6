// Thousands of viewers in a process of their own (`fork`). In the process that breaks things, they would take processor time from
// what is measured.
import { Agent, request } from 'node:http';
import process from 'node:process';
import type { Question } from '../client/send-request.ts';

/** The answer that one viewer got. Times come from `Date`, which processes share. */
export interface FleetAnswer {
  /** 0: the viewer gave up, or its connection broke. */
  status: number;
  retryAfter: string | null;
  sentAtMs: number;
  doneAtMs: number;
}

export interface FleetOrder {
  origin: string;
  /** One for each viewer. */
  questions: Question[];
  /** Requests of all viewers together. A viewer who still waits is skipped. */
  perSecond: number;
}

/** The events of the last tenth of a second. */
export interface FleetReport {
  answers: FleetAnswer[];
  /** How many viewers wait for an answer. */
  waiting: number;
}

/** hls.js waits this long for the first byte of a key (`keyLoadPolicy`), then it closes the connection. */
const patienceMs = 8_000;
const tickMs = 10;
const reportEveryMs = 100;

/** Each viewer keeps a connection and goes on asking after each answer. */
function run({ origin, questions, perSecond }: FleetOrder): void {
  let answers: FleetAnswer[] = [];
  const viewers = questions.map((question) => ({
    question,
    agent: new Agent({ keepAlive: true, maxSockets: 1 }),
    waits: false,
  }));
  const startedAtMs = Date.now();
  let [turn, sent, waiting] = [0, 0, 0];

  function send(viewer: (typeof viewers)[number]): void {
    const sentAtMs = Date.now();
    let ended = false;
    const end = (status: number, retryAfter: string | null) => {
      if (ended) return;
      ended = true;
      clearTimeout(timer);
      viewer.waits = false;
      waiting--;
      answers.push({ status, retryAfter, sentAtMs, doneAtMs: Date.now() });
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

  setInterval(() => {
    const due = Math.floor(((Date.now() - startedAtMs) * perSecond) / 1_000);
    for (; sent < due; sent++) {
      const viewer = viewers[turn++ % viewers.length];
      if (viewer && !viewer.waits) send(viewer);
    }
  }, tickMs);
  setInterval(() => {
    process.send?.({ answers, waiting } satisfies FleetReport);
    answers = [];
  }, reportEveryMs);
}

process.once('message', (order) => run(order as FleetOrder));
process.once('disconnect', () => process.exit());
