import { Agent } from 'undici';
import type { Question } from '../client/ask.ts';
import { countNames } from '../client/count-answers.ts';

/** A request, and what its successful answer must hold. */
export interface JudgedQuestion {
  kind: string;
  question: Question;
  /** What is wrong with the body of a 2xx; null if nothing is. */
  judge(body: Buffer): string | null;
}

/** What came of the requests of a load. */
export interface LoadReport {
  count: number;
  /** Why each failed one did: `keyByToken: 503 DEPENDENCY_UNAVAILABLE`. */
  failures: string[];
  longestMs: number;
}

export const describeFailures = ({ failures }: LoadReport) => countNames(failures);

/** Requests at a steady pace, which does not depend on the answers. None is sent twice. */
export interface JudgedLoad {
  /** Sends so many of them at once, in addition: more than the connections of a pool make it open further ones. */
  burst(count: number): void;
  /** Waits for the requests under way. */
  stop(): Promise<LoadReport>;
}

const tickMs = 10;
/** Longer than the gateway waits for a service, so the gateway's own answer arrives. */
const patienceMs = 12_000;

/** Two and a half seconds of requests. More would use up the files that this process may open, and everything would fail from then on. */
const underWayAtMost = 500;

/** @param next returns each request and its origin */
export function startJudgedLoad(
  perSecond: number,
  next: () => { origin: string; asked: JudgedQuestion },
): JudgedLoad {
  const agent = new Agent({ pipelining: 1, keepAliveTimeout: 30_000, headersTimeout: 0, bodyTimeout: 0 });
  const report: LoadReport = { count: 0, failures: [], longestMs: 0 };
  const open = new Set<Promise<void>>();
  const startedAtMs = performance.now();
  let sent = 0;

  function send(): void {
    const { origin, asked } = next();
    if (open.size >= underWayAtMost) {
      report.count++;
      report.failures.push(`not sent: ${underWayAtMost} requests are under way. Is the machine busy?`);
      return;
    }
    const sentAtMs = performance.now();
    const done = fetchAnswer(agent, origin, asked.question)
      .then(({ status, body }) => {
        const fault = status >= 200 && status < 300 ? asked.judge(body) : describeRefusal(status, body);
        if (fault !== null) report.failures.push(`${asked.kind}: ${fault}`);
      })
      .catch((error: NodeJS.ErrnoException) => {
        report.failures.push(`${asked.kind}: no answer (${error.code ?? error.name})`);
      })
      .finally(() => {
        report.count++;
        report.longestMs = Math.max(report.longestMs, performance.now() - sentAtMs);
        open.delete(done);
      });
    open.add(done);
  }

  const timer = setInterval(() => {
    const due = Math.floor(((performance.now() - startedAtMs) * perSecond) / 1_000);
    for (; sent < due; sent++) send();
  }, tickMs);

  return {
    burst(count) {
      for (let index = 0; index < count; index++) send();
    },
    async stop() {
      clearInterval(timer);
      await Promise.all(open);
      await agent.close();
      return report;
    },
  };
}

async function fetchAnswer(agent: Agent, origin: string, { method = 'GET', path, headers, json }: Question) {
  const { statusCode, body } = await agent.request({
    origin,
    path,
    method: method as 'GET',
    headers: { ...headers, ...(json === undefined ? {} : { 'content-type': 'application/json' }) },
    body: json === undefined ? null : JSON.stringify(json),
    signal: AbortSignal.timeout(patienceMs),
  });
  return { status: statusCode, body: Buffer.from(await body.arrayBuffer()) };
}

function describeRefusal(status: number, body: Buffer): string {
  const code = /"code":"(\w+)"/.exec(body.toString())?.[1] ?? '';
  return `${status} ${code}`.trim();
}
