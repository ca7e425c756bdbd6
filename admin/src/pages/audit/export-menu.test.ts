import { expect, it } from 'vitest';
import { countOctets } from './export-menu.tsx';

it('an answer passes as it is, and says how much of it has come', async () => {
  const told: number[] = [];
  const counted = countOctets(new Response('12345'), (octets) => told.push(octets));
  expect(await counted.text()).toBe('12345');
  expect(told).toEqual([5]);
});

it('an answer that breaks off is never whole', async () => {
  const body = new ReadableStream({
    start(controller) {
      controller.enqueue(new Uint8Array(3));
      controller.error(new TypeError('cut'));
    },
  });
  await expect(countOctets(new Response(body), () => {}).blob()).rejects.toThrow('cut');
});
