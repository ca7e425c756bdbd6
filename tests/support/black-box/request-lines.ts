import type { Client } from './client.ts';
import { eventually } from './eventually.ts';
import type { ServerOutput } from './server-process.ts';

/** The members of every line of the request log (`docs/reference/contract.md#request-log`). */
export const lineMembers = [
  'time',
  'level',
  'requestId',
  'method',
  'path',
  'route',
  'status',
  'durationMs',
  'clientIp',
  'userAgent',
  'principal',
  'code',
  'service',
  'version',
  'instance',
];

/** The members that only some lines have: of a 5xx, and of a request that belongs to a trace. */
const optionalMembers = ['revocation', 'failure', 'traceId'];

export type RequestLine = Record<string, unknown> & {
  requestId: string;
  path: string;
  clientIp: string | null;
  principal: { kind: string; id: string | null } | null;
};

/** The complete lines on standard output so far. */
export function readLines(process: ServerOutput): RequestLine[] {
  const text = process.stdout();
  return text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as RequestLine);
}

/** Waits for the line of an answer, which is written after the answer. */
export const findLine = (process: ServerOutput, requestId: string | null): Promise<RequestLine> =>
  eventually(() => {
    const [line, ...more] = readLines(process).filter((found) => found.requestId === requestId);
    if (!line || more.length > 0) throw new Error(`${1 + more.length} lines or none of ${requestId}`);
    return line;
  });

/** The first characters of each secret that a text contains. A failing test must not print the rest. */
export function secretsIn(text: string, secrets: Iterable<string>): string[] {
  return [...secrets]
    .filter((secret) => secret !== '' && text.includes(secret))
    .map((s) => `${s.slice(0, 11)}…`);
}

/** Checks the whole output of a server. @throws Error if it shows a secret, or lacks a well-formed line for a request */
export function checkOutput(process: ServerOutput, client: Client | null, secrets: string[]): void {
  const shown = secretsIn(process.stdout() + process.stderr(), [...secrets, ...(client?.credentials ?? [])]);
  if (shown.length > 0) throw new Error(`secrets were written: ${shown.join(', ')}`);
  const lines = readLines(process);
  for (const line of lines) {
    const usual = Object.keys(line).filter((name) => !optionalMembers.includes(name));
    if (usual.sort().join() !== [...lineMembers].sort().join())
      throw new Error(`a line has other members: ${JSON.stringify(line)}`);
  }
  const counts = Map.groupBy(lines, ({ requestId }) => requestId);
  const wrong = [...Map.groupBy(client?.answered ?? [], (id) => id)].filter(
    ([id, answers]) => counts.get(id)?.length !== answers.length,
  );
  if (wrong.length > 0)
    throw new Error(`not one line for each request: ${wrong.map(([id]) => id).join(', ')}`);
}
