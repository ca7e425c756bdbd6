import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createRequestLog, type RequestLine } from './request-log.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'latchkey-log-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const line: RequestLine = {
  requestId: 'r-1',
  method: 'GET',
  path: '/keys/a',
  route: '/keys/:contentId',
  status: 200,
  durationMs: 1.5,
  clientIp: '203.0.113.7',
  userAgent: 'a "quoted"\nagent',
  principal: { kind: 'viewer', id: 'alice' },
  code: null,
};

test('every request is one line of JSON, with time and level, and all are there after a flush', () => {
  const file = join(folder, 'log');
  const fd = openSync(file, 'w');
  const log = createRequestLog('info', fd);
  log.write(line);
  for (let status = 500; status < 600; status++) log.write({ ...line, status, code: 'INTERNAL' });
  log.flush();
  const written = readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((text) => JSON.parse(text));
  closeSync(fd);
  expect(written).toHaveLength(101);
  expect(written[0]).toEqual({ ...line, level: 'info', time: expect.stringMatching(/^\d{4}-.*Z$/) });
  expect(written[1]).toMatchObject({ level: 'error', status: 500, code: 'INTERNAL' });
});
