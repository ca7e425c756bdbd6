import { expect, it } from 'vitest';
import { countBytes } from './export-menu.tsx';

it('a counted answer is unchanged, and its progress is reported', async () => {
  const reported: number[] = [];
  const counted = countBytes(new Response('12345'), (bytes) => reported.push(bytes));
  expect(await counted.text()).toBe('12345');
  expect(reported).toEqual([5]);
});

it('an answer that breaks off rejects', async () => {
  const body = new ReadableStream({
    start(controller) {
      controller.enqueue(new Uint8Array(3));
      controller.error(new TypeError('cut'));
    },
  });
  await expect(countBytes(new Response(body), () => {}).blob()).rejects.toThrow('cut');
});
