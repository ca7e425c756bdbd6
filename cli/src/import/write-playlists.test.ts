import { expect, it } from 'vitest';
import { placePlaylists } from './write-playlists.ts';

it('a playlist whose URL has a percent sign that encodes nothing keeps it in its name', () => {
  const rewritten = ['a%20b/50%.m3u8', 'a%20b/live.m3u8'].map((path) => ({
    location: `https://cdn.example/${path}`,
    text: '#EXTM3U',
  }));
  const placed = placePlaylists(rewritten, { playlistsTo: '/nowhere/new' });
  expect(placed.map(({ path }) => path)).toEqual(['/nowhere/new/50%.m3u8', '/nowhere/new/live.m3u8']);
});
