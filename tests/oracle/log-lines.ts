import type { Forms } from './forms.ts';
import type { Server } from './servers.ts';

/** The forms of values that only log lines have. */
const patterns: readonly [RegExp, string][] = [
  [/"durationMs":\d+(\.\d+)?/g, '"durationMs":<ms>'],
  [/"instance":"[^"]+"/g, '"instance":"<instance>"'],
  [/\b(127\.0\.0\.1|port|0\.0\.0\.0|localhost)([: ])\d{4,5}\b/g, '$1$2<port>'],
  [/\bown_[0-9a-f]{32}/g, '<database>'],
  [/"pid":\d+/g, '"pid":<pid>'],
];

/** Whether a process has to wait at its start, or once does not answer in time, depends on the machine. */
const ofLoad =
  /"msg":"(?:(?:not ready|ready again|degraded|waits for): |everything that this process waited for)|no answer within|"status":503,/;

const isKind = (line: string) => line !== '' && !ofLoad.test(line);

/**
 * A line of each kind: of the request log for each outcome and principal, of the operator's log for each message. The first
 * one by method and path represents its kind, whatever the order of the lines.
 */
export function showLogLines(server: Server, forms: Forms): Map<string, string> {
  const texts = new Map<string, string>();
  for (const [process, { stdout, stderr }] of server.output) {
    const show = (line: string) =>
      patterns.reduce((text, [from, to]) => text.replace(from, to), forms.apply(line));
    const kinds = new Map<string, string>();
    for (const line of stdout.split('\n').filter(isKind).map(show).sort()) {
      const { status, code, principal, level, ...rest } = JSON.parse(line.replace(/<ms>/, '0'));
      const kind = [status, code, principal?.kind, level, Object.keys(rest)].join();
      if (!kinds.has(kind)) kinds.set(kind, line);
    }
    const operator = stderr.split('\n').filter(isKind).map(show);
    texts.set(process, [...new Set([...operator, ...kinds.values()])].join('\n'));
  }
  return texts;
}
