import type { ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished, vi } from 'vitest';
import { serveHttp } from '../testing/serve-http.ts';
import type { EndedSpan } from './otlp-json.ts';
import { createSpanQueue } from './span-queue.ts';

const span = { name: 'x' } as EndedSpan;
const patience = { timeout: 20_000, interval: 5 };

/** A collector, and a queue that sends to it the number of spans of each batch. */
async function open(answer: (response: ServerResponse, n: number) => void) {
  const bodies: string[] = [];
  const faults: string[] = [];
  const { url } = await serveHttp(async (request, response) => {
    bodies.push(await text(request));
    answer(response, bodies.length);
  });
  const queue = createSpanQueue({
    url: `${url}/v1/traces`,
    headers: { authorization: 'Bearer collector-key' },
    format: (spans) => String(spans.length),
    onFault: (error) => void faults.push(String(error)),
  });
  onTestFinished(() => queue.close());
  const add = (count: number) => {
    for (let n = 0; n < count; n++) queue.add(span);
  };
  return { queue, add, bodies, faults };
}

it('spans are sent in batches of 512, and what is left at the end of the process', async () => {
  const { queue, add, bodies, faults } = await open((response) => response.end('{}'));
  add(1_200);
  await vi.waitFor(() => expect(bodies).toEqual(['512', '512']), patience);
  await queue.close();
  add(1);
  expect([bodies, faults]).toEqual([['512', '512', '176'], []]);
});

it('while the collector is silent, spans beyond 2,048 are dropped, and what was kept is sent when it answers', async () => {
  let held: ServerResponse | undefined;
  const { queue, add, bodies } = await open((response, n) => {
    if (n === 1) held = response;
    else response.end('{}');
  });
  add(10_000);
  await vi.waitFor(() => expect(held).toBeDefined(), patience);
  held?.end('{}');
  await queue.close();
  expect(bodies.reduce((sum, count) => sum + Number(count), 0)).toBe(2_048);
});

it('a batch that the collector refuses for good is dropped and reported, without the credential', async () => {
  const { queue, add, faults } = await open((response) => void response.writeHead(400).end('collector-key'));
  add(3);
  await queue.close();
  expect(faults).toEqual(['Error: the collector answered 400; spans are lost']);
});

it('a batch that the collector may take later is kept, and lost at the end of the process alone', async () => {
  const { queue, add, bodies, faults } = await open(
    (response, n) => void response.writeHead(n === 1 ? 503 : 200).end(),
  );
  add(512);
  await vi.waitFor(
    () => expect(faults).toEqual(['Error: the collector answered 503; it is tried again']),
    patience,
  );
  await queue.close();
  expect(bodies).toEqual(['512', '512']);
});

it('a redirect gets neither spans nor the credential', async () => {
  const other = await open((response) => response.end('{}'));
  const { queue, add, faults } = await open(
    (response) => void response.writeHead(307, { location: '/elsewhere' }).end(),
  );
  add(1);
  await queue.close();
  expect(other.bodies).toEqual([]);
  expect(faults).toHaveLength(1);
});
