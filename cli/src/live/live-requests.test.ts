import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import {
  followServer,
  type LiveServer,
  mostAskedAtOnce,
  numberIn,
  redirect,
  refuse,
  segmentSeconds,
  startLiveServer,
  texts,
  windowOf,
} from '../testing/live-server.ts';
import { makeFragment, makeInitialization } from '../testing/media-boxes.ts';

it('while a playlist behind a redirect stands still, no address is asked more than once a target duration', async () => {
  const lastNumber = 5;
  const server: LiveServer = await startLiveServer((url, response) => {
    if (url.pathname === '/watch.m3u8') return redirect(response, '/edge/v.m3u8');
    if (url.pathname.endsWith('.ts')) return void response.end(`s${numberIn(url)}`);
    response.end(windowOf(Math.min(server.written(), lastNumber), (number) => `${number}.ts`));
  });
  const channel = await followServer(server, '/watch.m3u8');
  await channel.pass(51);
  expect(channel.played()).toEqual(texts(0, lastNumber + 1));
  expect(mostAskedAtOnce(server.asked, 0, 51)).toBe(1);
  const lookups = server.asked.filter(
    ({ address, second }) => address === '/watch.m3u8' && second > (lastNumber + 2) * segmentSeconds,
  );
  expect(lookups.length).toBeGreaterThanOrEqual(5);
});

it('of a playlist that lists less than its target duration, no segment is lost', async () => {
  const server: LiveServer = await startLiveServer((url, response) => {
    if (url.pathname.endsWith('.ts')) return void response.end(`s${numberIn(url)}`);
    const list = windowOf(server.written(), (number) => `${number}.ts`);
    response.end(list.replace(`TARGETDURATION:${segmentSeconds}`, 'TARGETDURATION:20'));
  });
  const channel = await followServer(server, '/short.m3u8');
  await channel.pass(61);
  const played = channel.played();
  expect(played).toEqual(texts(0, played.length));
  expect(played.length).toBeGreaterThanOrEqual(28);
});

it('a segment that the server refuses is asked for once a target duration, and is a gap after three', async () => {
  const server: LiveServer = await startLiveServer((url, response) => {
    if (url.pathname === '/3.ts') return refuse(response, 403);
    if (url.pathname.endsWith('.ts')) return void response.end(`s${numberIn(url)}`);
    response.end(windowOf(server.written(), (number) => `${number}.ts`));
  });
  const channel = await followServer(server, '/i.m3u8');
  await channel.pass(21);
  expect(channel.played()).toEqual(texts(0, 11).filter((text) => text !== 's3'));
  expect(
    mostAskedAtOnce(
      server.asked.filter(({ address }) => address === '/3.ts'),
      0,
      20,
    ),
  ).toBe(1);
});

it('an initialization section is asked for once a target duration, and at once after a discontinuity', async () => {
  const state = { mark: 'a', firstNumber: -3 };
  const server: LiveServer = await startLiveServer((url, response) => {
    if (url.pathname === '/i.mp4') return void response.end(makeInitialization(state.mark));
    if (url.pathname.endsWith('.m4s')) return void response.end(makeFragment(Buffer.from(url.pathname)));
    const text = windowOf(server.written() - state.firstNumber, (number) => `${state.mark}${number}.m4s`);
    response.end(text.replace('#EXTINF', '#EXT-X-MAP:URI="i.mp4"\n#EXTINF'));
  });
  const sections = () => server.asked.filter(({ address }) => address === '/i.mp4');
  const channel = await followServer(server, '/i.m3u8');
  await channel.pass(9);
  expect(channel.played()).toHaveLength(8);
  expect(mostAskedAtOnce(sections(), 0, 9)).toBe(1);
  Object.assign(state, { mark: 'b', firstNumber: server.written() });
  await channel.pass(4);
  expect(channel.played()).toHaveLength(11);
  const copies = readdirSync(channel.out).filter((name) => name.startsWith('init-'));
  expect(copies).toHaveLength(2);
});
