import type { Page } from 'playwright-core';

/** How many strings of the page's heap contain the text. A snapshot collects garbage first, and takes a second of processor time. */
export async function countInHeap(page: Page, text: string): Promise<number> {
  const session = await page.context().newCDPSession(page);
  const chunks: string[] = [];
  session.on('HeapProfiler.addHeapSnapshotChunk', ({ chunk }) => chunks.push(chunk));
  await session.send('HeapProfiler.collectGarbage');
  await session.send('HeapProfiler.takeHeapSnapshot', { reportProgress: false });
  await session.detach();
  return chunks.join('').split(text).length - 1;
}
