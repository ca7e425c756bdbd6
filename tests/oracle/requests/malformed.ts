import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { token } from '../credentials.ts';
import { adminKey, oddRequests } from '../odd-key-requests.ts';
import { type Recorder, usualHost } from '../recorder.ts';

const crlf = '\r\n';

/** The requests for keys that other tests send too. */
export async function recordOddKeys(recorder: Recorder): Promise<void> {
  const { call, forms, record, server } = recorder;
  const requests = await oddRequests({
    token,
    call: (method, path, credential, body) => call(method, path, body, credential),
  });
  for (const request of requests) {
    const lease = /x-lease-id: ([\da-fA-F-]{36})/.exec(request)?.[1];
    if (lease) forms.remember(lease, lease === lease.toUpperCase() ? 'LEASE' : 'lease');
    const session = /\?s=([\w-]{43}) HTTP/.exec(request)?.[1];
    if (session) {
      forms.remember(session, 'session');
      forms.remember(session.slice(1), 'session without its first character');
      forms.remember(session.slice(0, -1), 'session without its last character');
    }
  }
  await server.settle();
  const place = {
    file: 'requests/odd-keys.txt',
    subject: 'odd requests for keys',
    shown: 'by position in the list',
  };
  for (const [index, request] of requests.entries())
    await record(place, `${index}: ${showHead(request)}`, `${request}${crlf}${crlf}`);
}

/** The requests of `malformed.txt`: its starts with a host, its headers and its bodies on several paths. */
export async function recordMalformed({ record }: Recorder): Promise<void> {
  const file = readFileSync(join(import.meta.dirname, 'malformed.txt'), 'utf8');
  const sections = file.split(/^# .*\n/m).map((section) => section.split('\n').filter(Boolean).map(decode));
  const [starts = [], headers = [], bodies = []] = sections.filter((section) => section.length > 0);
  const head = `${usualHost}${crlf}authorization: Bearer ${adminKey}${crlf}content-type: application/json${crlf}`;
  const requests = [
    ...starts.map((start) => `${start}${crlf}${usualHost}${crlf}${crlf}`),
    ...headPaths.flatMap((path) =>
      headers.map((lines) => `GET ${path} HTTP/1.1${crlf}${lines}${crlf}${crlf}`),
    ),
    ...bodyPaths.flatMap((path) => bodies.map((rest) => `${path} HTTP/1.1${crlf}${head}${rest}`)),
  ];
  const place = { file: 'requests/malformed.txt', subject: 'malformed requests', shown: 'as they are sent' };
  for (const request of requests) await record(place, showHead(request), request);
}

const headPaths = ['/health', '/api/v1/api-keys/current', '/keys/film'];
const bodyPaths = [
  'POST /api/v1/content',
  'POST /keys/film',
  'DELETE /api/v1/content/none',
  'GET /health',
  'PUT /keys/film',
];

function decode(line: string): string {
  const whole = line.replace(/<(.+?) × (\d+)>/g, (_all, part: string, count) => part.repeat(Number(count)));
  return (JSON.parse(`"${whole}"`) as string).replaceAll('\n', crlf).replaceAll("'", '"');
}

/** Without the usual host. */
function showHead(request: string): string {
  const text = request.replaceAll('\r', '').trimEnd().replaceAll('\0', '\\0').replaceAll('\t', '\\t');
  const short = text.replace(`\n${usualHost}`, '');
  return short === text && !/^host:/im.test(text) ? `${text}\n(no host)` : short;
}
