import { createManualClock } from '@latchkey/shared/testing';
import { expect, it } from 'vitest';
import { createFaultReport } from './report-faults.ts';

function stage() {
  const clock = createManualClock();
  const lines: string[] = [];
  const report = createFaultReport({ warn: (message) => void lines.push(message) }, clock);
  return { clock, lines, report };
}

it('the same fault of a playlist is logged once a minute, without the query in which its source signs', () => {
  const { clock, lines, report } = stage();
  const url = new URL('https://cdn.example/live.m3u8?signature=canary');
  for (let second = 0; second < 60; second++) {
    report(url, new Error('it is away'));
    clock.advance(1_000);
  }
  report(url, new Error('it is away'));
  expect(lines).toHaveLength(2);
  expect(lines.join()).toContain('https://cdn.example/live.m3u8');
  expect(lines.join()).not.toContain('canary');
});

it('a thousand playlists whose source is away write 20 lines a minute, and then how many more there were', () => {
  const { clock, lines, report } = stage();
  for (let n = 0; n < 1_000; n++) report(new URL(`https://cdn.example/${n}.m3u8`), new Error('it is away'));
  expect(lines).toHaveLength(20);
  clock.advance(60_000);
  report(new URL('https://cdn.example/0.m3u8'), new Error('it is away'));
  expect(lines[20]).toContain('980 more playlists');
});
