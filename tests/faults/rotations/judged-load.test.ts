import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { describeFailures, startJudgedLoad } from './judged-load.ts';

test('a refused, a wrong and a missing answer each count as failed, and none is asked again', async () => {
  const asked: string[] = [];
  const server = createServer(({ url = '' }, answer) => {
    asked.push(url);
    if (url === '/broken') answer.destroy();
    else if (url === '/refused') answer.writeHead(503).end('{"code":"DEPENDENCY_UNAVAILABLE"}');
    else answer.end(url === '/wrong' ? 'other bytes' : 'the key');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const paths = ['/right', '/refused', '/wrong', '/broken'];
  let turn = 0;
  // Only the burst sends.
  const load = startJudgedLoad(0, () => ({
    origin,
    asked: {
      kind: 'key',
      question: { path: paths[turn++] ?? '/right' },
      judge: (body) => (body.toString() === 'the key' ? null : 'other bytes'),
    },
  }));
  load.burst(paths.length);
  await vi.waitFor(() => expect(asked).toHaveLength(paths.length));
  const report = await load.stop();
  expect(report.count).toBe(paths.length);
  expect(describeFailures(report)).toBe(
    'key: 503 DEPENDENCY_UNAVAILABLE: 1 · key: no answer (UND_ERR_SOCKET): 1 · key: other bytes: 1',
  );
  expect(asked.toSorted()).toEqual(paths.toSorted());
});
