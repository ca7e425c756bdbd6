import { randomUUID } from 'node:crypto';
import { metricsPorts, readMetrics } from '@latchkey/support/black-box/read-metrics';
import { createApiKey, registerContent } from '@latchkey/support/black-box/server-actions';
import { areContainers, startServer } from '@latchkey/support/black-box/target';
import { expect, it } from 'vitest';
import { spekeDocument } from './speke-documents.ts';

/** A server that kept the bodies of one round would hold 100 MB. */
const growthMostBytes = 64 * 1_024 * 1_024;
const mib = 1_024 * 1_024;
const timesOfEach = 5;

// The metrics of containers are behind their network.
it.skipIf(areContainers)(
  'bodies of 10 MB, entities that grow, deep trees and thousands of keys are refused, and the memory of the server stays flat',
  async () => {
    // Its own, because its memory is measured.
    const server = await startServer({ PUBLIC_URL: 'https://keys.example' });
    const { raw } = await createApiKey(server, 'packager');
    const contentId = await registerContent(server);
    const whole = spekeDocument({ contentId, kids: [randomUUID()] });
    const repeated = (text: string, bytes: number) => text.repeat(Math.ceil(bytes / text.length));
    const laughs = Array.from({ length: 9 }, (_, n) => `<!ENTITY l${n} "${`&l${n - 1};`.repeat(10)}">`).join(
      '',
    );
    const hostile: [status: number, body: string][] = [
      [413, whole.replace('<cpix:ContentKeyList>', `<!--${'x'.repeat(10 * mib)}--><cpix:ContentKeyList>`)],
      [413, repeated('<cpix:ContentKey kid="98ee5596-cd3e-a20d-163a-e382420c6eff"/>', 10 * mib)],
      [400, `<!DOCTYPE l [<!ENTITY l "l">${laughs}]>${whole.replace('>', '>&l8;')}`],
      [400, repeated('<a>', 200_000)],
      [400, repeated('<a b="c"/>', 200_000)],
      [200, whole.replace('<cpix:ContentKeyList>', `<!--${' '.repeat(200_000)}--><cpix:ContentKeyList>`)],
    ];

    async function send(body: string): Promise<number> {
      const answer = await fetch(`${server.url}/speke/v2.0/copyProtection`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${raw}`,
          'content-type': 'application/xml',
          'x-speke-version': '2.0',
        },
        body,
      }).catch(() => null);
      await answer?.arrayBuffer();
      // A body that is refused is not read to its end, so the connection may end before the answer is read.
      return answer?.status ?? 413;
    }
    async function sendAll(): Promise<void> {
      for (const [status, body] of hostile)
        for (let n = 0; n < timesOfEach; n++) expect(await send(body)).toBe(status);
    }
    async function readResidentBytes(): Promise<number> {
      let most = 0;
      for (const port of metricsPorts(server.process).values()) {
        const { samples } = await readMetrics(port);
        most = Math.max(
          most,
          samples.find(({ name }) => name === 'process_resident_memory_bytes')?.value ?? 0,
        );
      }
      return most;
    }

    // Code and buffers that the first ones need stay.
    await sendAll();
    const before = await readResidentBytes();
    expect(before).toBeGreaterThan(0);
    for (let round = 0; round < 2; round++) await sendAll();
    expect((await readResidentBytes()) - before).toBeLessThan(growthMostBytes);
    expect(await send(whole)).toBe(200);
  },
);
