import { codes, type ErrorCode } from '@latchkey/shared/errors';
import type { Answer } from './exchange.ts';
import type { Forms } from './forms.ts';

/** Headers of nearly every answer. They are not shown where they have this form, and named where they are missing. */
const usual: Readonly<Record<string, RegExp>> = {
  'cache-control': /^no-store$/,
  connection: /^keep-alive$/,
  'content-length': /^right$/,
  date: /^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/,
  'keep-alive': /^timeout=72$/,
  'x-content-type-options': /^nosniff$/,
  'x-request-id': /^<uuid>$/,
};
/** Figures of a time and a machine: only their shape is shown. */
const figures = /^GET \/api\/v1\/(statistics|usage)\b/;
/** The refusals whose `Retry-After` follows from the time of day or from the time since the request before. */
const timed = new Set(['EPOCH_NOT_YET', 'KEY_PACE_EXCEEDED', 'RATE_LIMITED']);
const longestLine = 3_000;

/** @param request its first line */
export function showAnswer(request: string, answer: Answer | null, forms: Forms): string {
  if (!answer) return 'closed without an answer';
  const { status, body } = answer;
  const headers = new Map<string, string[]>();
  for (const [name, value] of answer.headers)
    headers.set(name, [...(headers.get(name) ?? []), forms.apply(value)]);
  if (headers.get('content-length')?.join() === String(body.length)) headers.set('content-length', ['right']);
  else if (request.startsWith('HEAD ')) headers.set('content-length', ['<length>']);
  if (headers.has('etag')) headers.set('etag', ['<etag>']);
  // Of the build of the dashboard.
  if (headers.has('last-modified')) headers.set('last-modified', ['<time of the file>']);
  const type = headers.get('content-type')?.[0] ?? '';
  const text = showBody(request, answer, type, forms);
  const problem = type === 'application/problem+json' ? shortenProblem(text, status, headers) : null;
  if (problem) headers.delete('content-type');
  if (problem && timed.has(problem.code) && headers.has('retry-after'))
    headers.set('retry-after', ['<seconds>']);
  const shown = [...headers]
    .filter(([name, values]) => values.length > 1 || !usual[name]?.test(values[0] ?? ''))
    .flatMap(([name, values]) => values.map((value) => `${name}: ${value}`));
  const missing = Object.keys(usual).filter((name) => !headers.has(name));
  return [
    problem ? `${status} ${problem.code}` : `${status}`,
    ...shown.sort(),
    ...(missing.length > 0 ? [`without ${missing.join(', ')}`] : []),
    ...(problem?.lines ?? (text === '' ? [] : ['', text])),
  ].join('\n');
}

function showBody(request: string, { status, body }: Answer, type: string, forms: Forms): string {
  if (body.length === 0) return '';
  if (type === 'application/octet-stream') return body.toString('hex');
  if (type.startsWith('text/html') || request.includes(' /admin/')) return `<${type}>`;
  if (status === 200 && /^\S+ \/openapi\.json/.test(request)) return '<openapi.txt>';
  const text = hideRows(forms.apply(body.toString()), request);
  if (type.startsWith('text/plain')) return text.replace(/^[0-9a-f]{32}$/m, '<iv>');
  if (!type.includes('json') || body.length < 2) return text;
  const shown =
    status === 200 && figures.test(request) ? JSON.stringify(showShape(JSON.parse(body.toString()))) : text;
  return shown.length > longestLine ? shown.replace(/(?<=[,[{])(?=["{])/g, '\n') : shown;
}

/** Refusals share rows of the audit if they come soon after each other: their numbers depend on time. */
function hideRows(text: string, request: string): string {
  if (!request.startsWith('GET /api/v1/audit')) return text;
  return text.replace(/"(total|count)":\d+/g, '"$1":<n>').replace(/^\d+(?=,)/gm, '<row>');
}

/** A problem document without the members that follow from its code; null if it is not in the usual form. */
function shortenProblem(
  text: string,
  status: number,
  headers: ReadonlyMap<string, string[]>,
): { code: string; lines: string[] } | null {
  try {
    // A form without quotes is not JSON.
    const json = text.replace(/:<([^>"]+)>/g, ':"<$1>"');
    const { type, title, detail, code, requestId, status: own, ...members } = JSON.parse(json);
    const known = codes[code as ErrorCode];
    const usualForm = {
      type: `urn:latchkey:error:${code}`,
      title: known.title,
      status,
      detail,
      code,
      requestId,
    };
    const isUsual = JSON.stringify({ ...usualForm, ...members }) === json && own === known.status;
    if (!isUsual || requestId !== headers.get('x-request-id')?.[0]) return null;
    const extra = Object.entries(members).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
    return { code, lines: [`detail: ${detail}`, ...extra] };
  } catch {
    return null;
  }
}

/** The members in their order, without what depends on time: values, and how many there are of each. */
function showShape(value: unknown): unknown {
  if (Array.isArray(value)) return '<array>';
  if (value === null || typeof value !== 'object') return '<value>';
  // The dependencies are the ones of `/ready`.
  const shapeOf = (name: string, member: unknown) =>
    name === 'dependencies' ? '<object>' : showShape(member);
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shapeOf(name, member)]));
}
