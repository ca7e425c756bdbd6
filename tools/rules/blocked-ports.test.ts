import { expect, it } from 'vitest';
import { findBlockedPorts, findNamedPorts } from './blocked-ports.ts';

it.each([
  ['CORS_ORIGINS=http://127.0.0.1:4190 npm start', [4190]],
  ['open http://localhost:6000/admin and http://[::1]:4100', [6000, 4100]],
  ['const portBesideServer = 4_190;', [4190]],
  ["port: '6697'\ncontainerPort: 4101\n  PORT=4045", [6697, 4101, 4045]],
  ['| `PORT`, `HOST` | `5060`, `0.0.0.0` |', [5060]],
  ['--port 8000, at 12:4190 o’clock, version 1.4190', [8000]],
  ['the report: 4190 files', []],
])('in the text %j the ports %j are found', (text, ports) => {
  expect(findNamedPorts(text)).toEqual(ports);
});

it('a document that names a port which browsers refuse to open is refused, and a test may name it', () => {
  const text = 'open http://127.0.0.1:4190, not http://127.0.0.1:4100';
  expect(findBlockedPorts('README.md', text)).toEqual([
    'README.md names port 4190, which browsers refuse to open',
  ]);
  expect(findBlockedPorts('page.test.ts', text)).toEqual([]);
});
